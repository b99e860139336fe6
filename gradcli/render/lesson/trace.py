"""Derivations, one block a variable: symbols, then numbers, then the result; and the paths behind them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from typing import Any

from gradcli.explanation.chain.links import Link, Route, Trace, entered
from gradcli.explanation.model import Explanation, Leaf, Node, missing_notes
from gradcli.explanation.reference import sentences
from gradcli.guard import noting
from gradcli.language.unparser import unparse
from gradcli.render.documents.explanation import EXACT, formula_document, notes_document, sizes_document
from gradcli.render.documents.reasons import reason_document
from gradcli.render.lesson.page import (
    FORWARD,
    delta,
    deltas_of,
    equations,
    forward,
    given,
    heading,
    is_same,
    last,
    shown,
)
from gradcli.render.lesson.reasons import reason
from gradcli.render.lesson.terms import Terms, factor
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks
from gradcli.render.text.wrapping import GLUE
from gradcli.source import visible
from gradcli.stream.values import Json, plain

SIMPLIFIED = f"{GLUE}{GLUE}(simplified)"
ABOVE = f"{GLUE}{GLUE}(as above)"
LONGEST = 72  # characters of a formula before it is simplified


def trace_page(
    explanation: Explanation, traces: Sequence[Trace], looks: Looks, *, all: bool = False, why: bool = False
) -> str:
    """A block a variable; of a long one the beginning, unless `all` is asked for, and `why` rules hold."""
    return lay_out(trace_sections(explanation, traces, looks, all=all, why=why), looks)


def trace_sections(
    explanation: Explanation, traces: Sequence[Trace], looks: Looks, *, all: bool, why: bool
) -> list[Section]:
    """Return the sections of the page."""
    terms = Terms(explanation, replace(looks, whole=all))
    computed = forward(explanation, terms)
    sections = [Section("", heading(explanation, terms, all=all))]
    if computed:
        sections.append(Section("Forward", shown(computed, looks, all=all, ending=last(computed)), FORWARD))
    known: set[str] = set()  # whose derivation stands under an earlier variable
    for trace in traces:
        title = terms.total(trace.leaf.name)
        if trace.leaf.gradient is None:
            text = visible(f"{explanation.output} does not depend on {trace.leaf.name}: the gradient is None")
            sections.append(Section(title, [Row((text,), "note")]))
            continue
        links = entered(explanation, trace.links)
        rows = [*_as_above(links, known, terms), *_derivations(links[:-1], known, trace.leaf, terms, why=why)]
        asked = list(_derivations(links[-1:], known, trace.leaf, terms, why=why))
        count = next((place for place, row in enumerate(asked) if row.kind), len(asked))
        ending = range(len(rows), len(rows) + count)  # without why it holds
        rows += asked
        known.update(link.input for link in links)
        if not rows:  # the output is the variable
            rows = [Row((title, f"= {terms.grid(trace.leaf.gradient)}"))]
        sections.append(Section(title, shown(rows, looks, all=all, ending=ending)))
        if trace.routes is not None:
            sections.append(Section(*_paths(trace, terms)))
    return sections


def _as_above(links: Sequence[Link], known: Container[str], terms: Terms) -> Iterator[Row]:
    """Yield the quantities that were derived for an earlier variable, where this derivation goes on from them."""
    needed = {term.step.node for link in links if link.input not in known for term in link.terms}
    for link in links:
        if link.input in known and link.input in needed:
            value = terms.grid(link.total)
            yield Row((terms.total(link.input), f"= {value}{ABOVE}" if value else ABOVE[1:]))


def _derivations(links: Sequence[Link], known: Container[str], leaf: Leaf, terms: Terms, *, why: bool) -> Iterator[Row]:
    for link in links:
        if link.input not in known:
            yield from [] if link.terms or terms.plain_seed else [given(terms)]
            yield from _derivation(link, leaf, terms)
            for term in link.terms:
                if term.local.reason is not None:
                    upstream = terms.total(term.step.node)
                    yield Row((reason(term.local, terms, in_full=why, upstream=upstream),), "reason")
            nodes = (terms.nodes[term.step.node] for term in link.terms)
            said = (sentences(node, terms.nodes, terms.upstream_name) for node in nodes)
            yield from (Row((visible(text),), "why") for text in dict.fromkeys(said) if why)


def _derivation(link: Link, leaf: Leaf, terms: Terms) -> list[Row]:
    """One quantity over several lines: the chain rule, the local derivatives as formulas, numbers, the result.

    Below the gradient of the leaf it is written in the variables, as the rules give it and simplified.
    """
    total = terms.total(link.input)
    sides = [terms.symbols(link), terms.formulas(link), terms.numbers(link), terms.result(link)]
    written = [side for side in equations(total, list(dict.fromkeys(filter(None, sides)))) if side]
    rows = [Row((total if index == 0 else "", side)) for index, side in enumerate(written)]
    closed = _in_variables(leaf, terms) if link.input == leaf.node else []
    closed = [
        side for side in dict.fromkeys(closed) if side and not any(is_same(f"= {side}", line) for line in written)
    ]
    rows += [Row(("", f"= {side}{SIMPLIFIED * (side is closed[-1])}")) for side in closed]
    deltas = deltas_of(leaf.formula, terms.explanation) if closed else []
    return [*rows, *(Row((f"where {delta(part, terms)}",), "reason") for part in deltas)]


def _in_variables(leaf: Leaf, terms: Terms) -> list[str]:
    """Return the gradient as the rules give it, where that is short, and simplified."""
    formulas = list(map(terms.formula, terms.in_variables(leaf)))
    is_short = formulas and len(formulas[0]) <= LONGEST and not deltas_of(leaf.formula, terms.explanation)
    return formulas if is_short else formulas[1:]


def _paths(trace: Trace, terms: Terms) -> tuple[str, list[Row]]:
    routes, count = trace.routes or (), trace.count or 0
    arrow = terms.looks.arrow
    rows = []
    for number, route in enumerate(routes, start=1):
        nodes = terms.joined(list(_named(route, terms)), f" {arrow} ")
        sides = [_product(route, terms), "" if route.value is None else terms.grid(route.value)]
        copied = _copied(route) if count > 1 else ""
        rows.append(Row((f"{number}. {nodes}{copied}", *(f"= {side}" if side else "" for side in sides))))
    hidden = count - len(routes)
    if hidden:
        rows.append(Row((f"{terms.looks.ellipsis} {hidden:,} more paths: --limit N lists more",), "aside"))
    if terms.explanation.sizes is None:
        rows.append(Row(("sum of all paths", "", f"= {terms.grid(trace.leaf.gradient)}"), "result"))
    ends = visible(f"from {terms.explanation.output} to {trace.leaf.name}")
    copied = _copied(routes[0]) if count == 1 and routes else ""
    return f"{count:,} path{'' if count == 1 else 's'} {ends}{copied}", rows


def _copied(route: Route) -> str:
    """Return that a path stands for several, `, once for each of the 3 rows`; empty if nothing on it was copied."""
    each = " and ".join(f"of the {copies.count:,} {copies.parts} of {copies.node}" for copies in route.copies)
    return visible(f", once for each {each}") if each else ""


def _named(route: Route, terms: Terms) -> Iterator[str]:
    """Yield the nodes of a path: `w`, `z (2nd)`."""
    yield visible(route.path.nodes[0])
    for local in route.path.locals:
        which = terms.which(local)
        yield f"{visible(local.input)} ({which})" if which else visible(local.input)


def _product(route: Route, terms: Terms) -> str:
    """Return the seed and the local derivatives along a path, as numbers; of arrays the rules put into each other."""
    values = [local.value for local in route.path.locals]
    if not terms.plain_seed:
        values.insert(0, terms.explanation.upstream)
    if not values or any(value is None or getattr(value, "shape", ()) for value in values):
        return terms.along(route.path, LONGEST)
    return terms.joined([factor(terms.value(value)) for value in values], f" {terms.looks.times} ")


def trace_document(explanation: Explanation, traces: Sequence[Trace]) -> dict[str, Any]:
    """The document `gradcli.trace/1`; path counts are exact, as decimal strings."""
    with noting() as missing:
        document = _trace(explanation, traces)
    return document | {"notes": notes_document((*explanation.notes, *missing_notes(missing)))}


def _trace(explanation: Explanation, traces: Sequence[Trace]) -> dict[str, Any]:
    terms = Terms(explanation, EXACT, most=None)
    return {
        "schema": "gradcli.trace/1",
        "ok": True,
        "program": explanation.program,
        "output": explanation.output,
        "sizes": sizes_document(explanation),
        "forward": [_forward_document(node, terms) for node in explanation.nodes if node.kind == "op"],
        "leaves": [_leaf_document(trace, terms) for trace in traces],
    }


def _forward_document(node: Node, terms: Terms) -> dict[str, Json]:
    value = None if terms.explanation.sizes is not None else plain(node.value)
    return {
        "node": node.id,
        "expression": unparse(node.expression),
        "value": value,
        "inserted": node.inserted,
        "part_of": node.part_of,
    }


def _leaf_document(trace: Trace, terms: Terms) -> dict[str, Any]:
    leaf = trace.leaf
    made_up = terms.explanation.sizes is not None

    def given(value: Any) -> Json:
        return None if value is None or made_up else plain(value)

    lines = [
        {
            "quantity": terms.total(link.input),
            "symbols": terms.symbols(link),
            "numbers": terms.numbers(link) or None,
            "value": given(link.total),
            "why": [reason for term in link.terms if (why := term.local.why) and (reason := reason_document(why))],
        }
        for link in trace.links
    ]
    return {
        "name": leaf.name,
        "gradient": given(leaf.gradient),
        "formula": None if leaf.formula is None else unparse(leaf.formula),
        "formula_raw": None if leaf.formula_raw is None else unparse(leaf.formula_raw),
        "lines": lines,
        "paths": None if trace.routes is None else _paths_document(trace, trace.routes, given(leaf.gradient)),
    }


def _paths_document(trace: Trace, routes: Sequence[Route], total: Json) -> dict[str, Any]:
    listed = [
        {
            "nodes": list(route.path.nodes),
            "factors": [formula_document(local.formula or local.rule) for local in route.path.locals],
            "copies": str(route.count),
            "value": None if route.value is None else plain(route.value),
        }
        for route in routes
    ]
    return {"count": str(trace.count), "listed": listed, "sum": total}
