"""The worked solution: what `gradcli eval` shows in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.explanation.chain import Link, chain
from gradcli.explanation.model import Explanation, Node
from gradcli.language.parser import parse_program
from gradcli.language.tree import Name, names
from gradcli.language.unparser import unparse_statement
from gradcli.render.layout import Row, Section, lay_out
from gradcli.render.looks import Looks
from gradcli.render.terms import Terms
from gradcli.source import Source, visible

MOST = 40  # rows of a section, unless all are asked for


def page(explanation: Explanation, looks: Looks, *, all: bool = False) -> str:
    """The whole page as text."""
    terms = Terms(explanation, looks)
    sections = [
        Section("", heading(explanation, terms)),
        Section("Forward", forward(explanation, terms)),
        Section("Local derivatives", locals_(explanation, terms)),
        Section("Chain rule, newest node first", chain_rule(explanation, terms)),
        Section("Gradients", gradients(explanation, terms)),
        Section("Notes", [Row((visible(note.message),), "note") for note in explanation.notes]),
    ]
    if not all:
        sections = [cut(section, looks) for section in sections]
    return lay_out([section for section in sections if section.rows], looks)


def cut(section: Section, looks: Looks) -> Section:
    """A section that fits a screen, and a line that says how to see the rest."""
    hidden = len(section.rows) - MOST
    if hidden <= 1:
        return section
    rest = Row((f"{looks.ellipsis} {hidden:,} more: --all shows every row, --json has everything",), "aside")
    return Section(section.title, [*section.rows[:MOST], rest])


def heading(explanation: Explanation, terms: Terms) -> list[Row]:
    """The program, and the point at which it is explained."""
    program = parse_program(Source(explanation.program))
    variables = [node for node in explanation.nodes if node.kind != "op" and node.expression == Name(node.name)]
    given = {node.name for node in variables}
    lines = []
    for statement in program.statements:
        if statement.target in given:  # the first says the value, which follows below
            given.remove(statement.target)
        else:
            lines.append(visible(unparse_statement(statement, multiply=terms.looks.times)))
    point = [f"{visible(node.name)} = {terms.value(node.value, width=40)}" for node in variables]
    if not terms.plain_seed and explanation.steps:
        point.append(f"upstream {terms.total(explanation.output)} = {terms.value(explanation.upstream, width=40)}")
    at = ", ".join(point)
    if not at:
        return [Row((line,), "title") for line in lines]
    if len(lines) == 1 and len(lines[0]) + len(at) < 90:
        return [Row((f"{lines[0]}        at {at}",), "title")]
    return [*(Row((line,), "title") for line in lines), Row((f"at {at}",), "title")]


def forward(explanation: Explanation, terms: Terms) -> list[Row]:
    """Every operation, and the constants that have a name in the expressions."""
    mentioned = {name for node in explanation.nodes if node.kind == "op" for name in names(node.expression)}
    mentioned |= {name for node in explanation.nodes for local in node.locals for name in names(local.rule)}
    rows = []
    for node in explanation.nodes:
        value = terms.value(node.value)
        if node.kind == "op":
            put_in = terms.put_in(node)
            cells = (
                f"= {terms.formula(node.expression)}",
                node.grad_fn or "constant",
                "" if put_in == value else put_in,
            )
            rows.append(Row((visible(node.name), *cells, f"= {value}")))
        elif node.kind == "constant" and (node.id in mentioned or node.id == explanation.output):
            text = terms.formula(node.expression)
            made = "" if text in (value, visible(node.name)) else f"= {text}"
            rows.append(Row((visible(node.name), made, "constant", "", f"= {value}")))
    return rows


def locals_(explanation: Explanation, terms: Terms) -> list[Row]:
    """The derivative on every edge, newest node first."""
    return [row for node in reversed(explanation.nodes) for row in _locals_of(node, terms)]


def _locals_of(node: Node, terms: Terms) -> Iterator[Row]:
    for local in node.locals:
        symbols = terms.local(local)
        value = "" if local.value is None else f"= {terms.value(local.value)}"
        yield Row((terms.derivative(node.name, local.input), symbols, "" if value == symbols else value))


def chain_rule(explanation: Explanation, terms: Terms) -> list[Row]:
    """The gradient of every node: in symbols, in numbers, and what comes out."""
    return [_link(link, terms) for link in chain(explanation)]


def _link(link: Link, terms: Terms) -> Row:
    total = terms.total(link.input)
    return Row((total, *equations([total, terms.symbols(link), terms.numbers(link), terms.value(link.total)])[1:]))


def equations(sides: Sequence[str]) -> list[str]:
    """Each side with its equals sign; a side that repeats the one before it is left out."""
    kept = [side if index == 0 or side != sides[index - 1] else "" for index, side in enumerate(sides)]
    return [f"= {side}" if side else "" for side in kept]


def gradients(explanation: Explanation, terms: Terms) -> list[Row]:
    """The gradient of every variable: as a formula of the variables, and its value."""
    rows = []
    for leaf in explanation.leaves:
        if leaf.gradient is None:
            rows.append(Row((terms.total(leaf.name), "", "= None"), "result"))
            continue
        formula = "" if leaf.formula is None else f"= {terms.formula(leaf.formula)}"
        value = f"= {terms.value(leaf.gradient)}"
        rows.append(Row((terms.total(leaf.name), "" if formula == value else formula, value), "result"))
    return rows
