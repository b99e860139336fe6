"""The reference pages of `gradcli ops`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.engine.primitive import TORCH, Primitive
from gradcli.explanation.index.printing import Writer
from gradcli.explanation.reference import Reference, Use, command_line, families, operations
from gradcli.language.catalogue import BASICS
from gradcli.language.unparser import unparse
from gradcli.render.documents.reasons import reason_document
from gradcli.render.lesson.reasons import in_one_line, in_two, meanings
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks
from gradcli.stream.values import plain


def operations_page(looks: Looks, *, internal: bool = False) -> str:
    """The basics by topic, then all operations by family; `internal` ones are those that rules alone use."""
    known = {use.name: use for use in operations().values()}
    sections = [
        Section(f"first: {topic}", [Row((known[name].signature, known[name].summary)) for name in names])
        for topic, names in BASICS.items()
    ]
    for family, members in families(list(operations())).items():
        rows = [Row((use.signature, use.summary)) for use in members if internal or not is_internal(use.name)]
        sections.extend([Section(family, rows)] if rows else [])
    sections.append(Section("", [Row(("gradcli ops NAME shows an operation's derivative rules",), "aside")]))
    return lay_out(sections, looks)


def is_internal(name: str) -> bool:
    """Whether an operation is there for the rules of others, and nobody types it."""
    return name.endswith(("_backward", "_cdf", "_pdf")) or name.startswith("_")


def operation_page(reference: Reference, looks: Looks) -> str:
    """One operation: what it does, its primitives with their rules, examples to paste."""
    operation = reference.operation
    about = [Row((operation.summary,))] if operation.summary else []
    if operation.method:
        about.append(Row((f"also as a method: x.{operation.name}(...)",)))
    if operation.aliases:
        about.append(Row((f"also called {', '.join(operation.aliases)}",)))
    sections = [Section(operation.signature, about)]
    shown = reference.examples()
    for example, rows in shown:
        if len(shown) > 1 and len(rows) > 1:
            sections.append(Section(f"in {example.rpartition('; ')[2]}", []))
        for row in rows:
            use = row.use
            title = f"{use.name} = {unparse(use.written, multiply=looks.times)}   {node_name(use.primitive)}"
            rules = [Row(("as above",), "aside")] if row.is_repeated else _rules(use, row.says, looks)
            sections.append(Section(title, rules))
    examples = [Row((command_line(example),)) for example in operation.examples]
    headed = (s for s in sections if s.rows or s is not sections[0])
    return lay_out([*headed, Section("Examples", examples)], looks)


def node_name(primitive: Primitive) -> str:
    return primitive.node if any(primitive.rules) else "no gradient"


def _rules(use: Use, says: str, looks: Looks) -> list[Row]:
    rows = []
    for rule in use.rules:
        rows.append(Row((rule.input, f"g {looks.arrow} {unparse(rule.rule, multiply=looks.times)}")))
        if rule.why is not None:
            write = Writer(ascii=looks.ascii)
            total = f"{looks.partial}L/{looks.partial}{rule.input}"
            rows.append(Row((in_two(in_one_line(rule.why, total, write), looks.width),), "reason"))
            rows.extend(Row((f"where {meanings(rule.why)}",), "reason") for _ in rule.why.given[:1])
    if says:
        rows.append(Row((says,), "why"))
    rows.extend(Row((label, text)) for label, text in facts(use))
    return rows or [Row(("no gradient flows through it",))]


def facts(use: Use) -> list[tuple[str, str]]:
    """Domain, kinks and convention in words."""
    rows, primitive = [], use.primitive
    if use.smooth_for:
        rows.append(("smooth for", use.smooth_for))
    if isinstance(primitive.kinks, tuple) and primitive.kinks:
        rows.append(("kinks at", ", ".join(f"{kink:g}" for kink in primitive.kinks)))
    if primitive.convention:
        rows.append((f"in {TORCH}", primitive.convention))
    return rows


def operations_document(references: Sequence[Reference]) -> dict[str, Any]:
    """The document `gradcli.operations/1`."""
    return {"schema": "gradcli.operations/1", "ok": True, "operations": [_operation(r) for r in references]}


def _operation(reference: Reference) -> dict[str, Any]:
    operation = reference.operation
    return {
        "name": operation.name,
        "aliases": list(operation.aliases),
        "signature": operation.signature,
        "summary": operation.summary,
        "method": operation.method,
        "examples": list(operation.examples),
        "primitives": [_primitive(use) for use in reference.uses],
    }


def _primitive(use: Use) -> dict[str, Any]:
    primitive = use.primitive
    return {
        "name": primitive.name,
        "grad_fn": primitive.node if any(primitive.rules) else None,
        "says": primitive.says or None,
        "rules": [
            {"input": rule.input, "rule": unparse(rule.rule), "why": rule.why and reason_document(rule.why)}
            for rule in use.rules
        ],
        "kinks": list(primitive.kinks) if isinstance(primitive.kinks, tuple) else [],
        "convention": primitive.convention or None,
        "domain": [plain(bound) for bound in (use.domain.low, use.domain.high)],
        "smooth_for": use.smooth_for or None,
    }
