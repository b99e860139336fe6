"""The forms of the commands in LaTeX: fragments, and whole documents where they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from gradcli.explanation.chain.links import Link, Route, Trace, chain, entered
from gradcli.explanation.model import Explanation, Intermediate, Leaf, Local, Node
from gradcli.render.latex.formulas import escaped, multiplied
from gradcli.render.latex.pieces import WIDEST, Equation, Piece, aligned, letters, value
from gradcli.render.latex.terms import Terms
from gradcli.render.text.looks import Asked
from gradcli.render.text.numbers import PRECISION
from gradcli.source import visible

PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=25mm]{geometry}
\usepackage{amsmath}
"""


def document(fragment: str, *, preamble: str = "") -> str:
    """Return a document that compiles by itself; `preamble` is for what the fragment needs besides amsmath."""
    return f"{PREAMBLE}{preamble}\\begin{{document}}\n{fragment}\n\\end{{document}}"


def listing(lines: Iterable[str]) -> str:
    """Return lines in a fixed width; a verbatim environment would end where the text says so."""
    written = (escaped(line.rstrip()).replace(" ", r"\ ") or r"\ " for line in lines)
    body = "\\\\\n".join(rf"\texttt{{{line}}}" for line in written)
    return f"\\begin{{flushleft}}\\small\n{body}\n\\end{{flushleft}}"


LONGEST = 60  # letters of a formula before it is simplified
LONGEST_PATH = 8  # nodes that are named


def derivations(explanation: Explanation, traces: Sequence[Trace], precision: int = PRECISION) -> str:
    """A block a variable, as a fragment; what was derived for an earlier one is not derived again."""
    terms = Terms(explanation, precision)
    sections = [
        ("", Rows(statement(explanation, terms), terms)),
        ("Forward", Rows([node for node in explanation.nodes if node.kind == "op"], terms, forward)),
    ]
    known: set[str] = set()
    for trace in traces:
        total = terms.total(trace.leaf.name)
        links = [Link(explanation.output, (), explanation.upstream), *trace.links] if trace.links else []
        new_links = [link for link in links if link.input not in known]
        lead = given(terms) if new_links and not new_links[0].terms else ""
        rows = Rows(new_links, terms, partial(derivation, trace=trace), lead)
        known.update(link.input for link in links)
        if trace.leaf.gradient is None:
            rows = Rows([Equation(total, [Piece(r"\text{None: the output does not depend on it}")])], terms)
        elif not links:  # the output is the variable
            rows = Rows([Equation(total, [terms.value(trace.leaf.gradient)])], terms)
        sections.append((f"The gradient of ${terms.name(trace.leaf.name).text}$", rows))
        if trace.routes:
            sections.append((f"Paths to ${terms.name(trace.leaf.name).text}$", Rows(paths(trace, terms), terms)))
    return fragment(explanation, sections)


def derivation(link: Link, terms: Terms, trace: Trace) -> Equation:
    """One quantity: the chain rule, the local derivatives as formulas, numbers, the result.

    The gradient of the variable is also written in the variables, as the rules give it and simplified.
    """
    formulas = list(map(terms.formula, terms.in_variables(trace.leaf))) if link.input == trace.leaf.node else []
    sides = [
        terms.symbols(link),
        terms.formulas(link),
        *(side for side in formulas if side.width <= LONGEST or side is formulas[-1]),
    ]
    sides.extend([terms.numbers(link), terms.value(link.total)])
    return Equation(terms.total(link.input), sides, stacked=len(link.terms) > 0)


def paths(trace: Trace, terms: Terms) -> list[Equation]:
    """Each path with its product, and the sum of all."""
    equations = [_path(route, terms) for route in trace.routes or ()]
    if (trace.count or 0) > len(equations):
        equations.append(Equation(Piece(r"\cdots"), [Piece(f"\\text{{{trace.count:,} paths in all}}")], sign=""))
    if terms.explanation.sizes is None:
        equations.append(Equation(Piece(r"\text{sum}", width=3), [terms.value(trace.leaf.gradient)]))
    return equations


def _path(route: Route, terms: Terms) -> Equation:
    names = [terms.name(node).text for node in route.path.nodes]
    shown = names if len(names) <= LONGEST_PATH else [*names[:4], r"\cdots", *names[-3:]]
    values = [local.value for local in route.path.locals]
    if not terms.plain_seed:
        values.insert(0, terms.explanation.upstream)
    product = None
    if (
        values
        and len(values) <= 12
        and all(given is not None and getattr(given, "shape", ()) == () for given in values)
    ):
        factors = [value(given, terms.precision) for given in values]
        product = multiplied([x.bracketed() if x.text.startswith("-") and n == 0 else x for n, x in enumerate(factors)])
    left = Piece(r" \to ".join(shown), width=sum(letters(name) + 2 for name in shown))
    return Equation(left, [product, *([] if route.value is None else [terms.value(route.value)])])


def eval_page(explanation: Explanation, asked: Asked) -> str:
    """Write the whole lesson."""
    return whole(lesson(explanation, asked.precision), asked)


def trace_page(explanation: Explanation, traces: Sequence[Trace], asked: Asked) -> str:
    """Write the derivation of each gradient."""
    return whole(derivations(explanation, traces, asked.precision), asked)


def whole(fragment: str, asked: Asked) -> str:
    return document(fragment) if asked.standalone else fragment


# The worked solution as LaTeX, in the sections of the page of `gradcli eval`, for any article with amsmath.


MOST = 200  # equations of a section; more nobody prints


def lesson(explanation: Explanation, precision: int = PRECISION) -> str:
    """The whole solution as a fragment."""
    terms = Terms(explanation, precision)
    pairs = list(edges(explanation))
    links = entered(explanation, chain(explanation))
    return fragment(
        explanation,
        [
            ("", Rows(statement(explanation, terms), terms)),
            ("Forward", Rows([node for node in explanation.nodes if node.kind == "op"], terms, forward)),
            ("Local derivatives", Rows(pairs, terms, local, introduced(pairs, terms))),
            ("Chain rule, newest node first", Rows(links, terms, chain_rule, given(terms))),
            ("Gradients", Rows([*explanation.deltas, *explanation.leaves], terms, gradient)),
        ],
    )


class Rows:
    """The facts of a section, of which the first are written as equations below a sentence, the `lead`."""

    def __init__(
        self, facts: Sequence[Any], terms: Terms, write: Callable[[Any, Terms], Equation] | None = None, lead: str = ""
    ) -> None:
        self.facts, self.terms, self.write, self.lead = facts, terms, write, lead

    def __len__(self) -> int:
        return len(self.facts)

    def shown(self) -> list[Equation]:
        first = self.facts[:MOST]
        return list(first) if self.write is None else [self.write(fact, self.terms) for fact in first]


def fragment(explanation: Explanation, sections: Iterable[tuple[str, Rows]]) -> str:
    """Return sections and the notes below them; what the fragment changes ends with it."""
    lines = [f"% {line}" for line in visible(explanation.program.replace("\n", " ; ")).split("\n")]
    lines.append(r"\begingroup\allowdisplaybreaks")
    for title, rows in sections:
        if len(rows):
            lines.extend([rf"\par\noindent\textbf{{{title}}}"] if title else [])
            lines.extend([rf"\par\noindent {rows.lead}"] if rows.lead else [])
            lines.append(aligned(rows.shown()))
            lines.extend([hidden(len(rows) - MOST)] if len(rows) > MOST else [])
    lines.extend(rf"\par\noindent\emph{{Note:}} {escaped(note.message)}" for note in explanation.notes)
    return "\n".join([*lines, r"\par\endgroup"])


def introduced(pairs: Sequence[tuple[Node, Local]], terms: Terms) -> str:
    """Return what the `g` of the rules is; nothing where no edge has a rule."""
    node = next((node for node, edge in pairs if edge.formula is None), None)
    if node is None:
        return ""
    name, total, at = terms.name(terms.upstream_name).text, terms.total(node.id).text, terms.name(node.id).text
    return f"At each node, ${name}$ is the gradient that arrives from above: at ${at}$ it is ${total}$."


def given(terms: Terms) -> str:
    """Return what the `L` of an upstream gradient is; nothing where none was given."""
    if terms.plain_seed:
        return ""
    output, later = terms.explanation.output, terms.name(terms.differentiated).text
    total, leads = terms.total(output).text, terms.name(output).text
    return f"${total}$ is given: ${later}$ is a number that is computed from ${leads}$ later."


def hidden(count: int) -> str:
    return rf"\par\noindent\ldots{{}} and {count:,} more."


def statement(explanation: Explanation, terms: Terms) -> list[Equation]:
    """The program as it was written, and the point at which it is explained."""
    equations = [
        Equation(terms.name(part.target or explanation.output), [terms.typed(part.value)])
        for part in explanation.statements[:MOST]
    ]
    if explanation.sizes is not None:
        return [*equations, *sizes(explanation, terms)]
    equations.extend(point(explanation.variables, terms))
    if not terms.plain_seed and explanation.steps:
        equations.append(Equation(terms.total(explanation.output), [terms.value(explanation.upstream)]))
    return equations


def point(variables: Sequence[Node], terms: Terms) -> Iterator[Equation]:
    """Yield the values of the variables, numbers side by side."""
    line: list[Equation] = []
    width = 0
    for node in variables:
        equation = Equation(terms.name(node.id), [terms.value(node.value)])
        needed = sum(piece.width + 3 for piece in (equation.left, *equation.sides) if piece)
        if line and (node.shape or width + needed > WIDEST):
            yield from beside(line)
            line, width = [], 0
        line.append(equation)
        width += WIDEST if node.shape else needed
    yield from beside(line)


def beside(line: Sequence[Equation]) -> Iterator[Equation]:
    if line:
        texts = [line[0].sides[0], *(Piece(f"{x.left.text} = {x.sides[0].text}") for x in line[1:] if x.sides[0])]
        yield Equation(line[0].left, [Piece(r",\quad ".join(text.text for text in texts if text))])


def sizes(explanation: Explanation, terms: Terms) -> Iterator[Equation]:
    for name, shape in (explanation.sizes or {}).items():
        text = r" \times ".join(str(size) if isinstance(size, int) else terms.name(size).text for size in shape)
        yield Equation(terms.name(name), [Piece(text)], sign=":")


def forward(node: Node, terms: Terms) -> Equation:
    remark = "" if node.grad_fn is None else f"\\texttt{{{escaped(node.grad_fn)}}}"
    return Equation(
        terms.name(node.id), [terms.typed(node.expression), terms.put_in(node), terms.value(node.value)], remark
    )


def edges(explanation: Explanation) -> Iterator[tuple[Node, Local]]:
    for node in reversed(explanation.nodes):
        for edge in node.locals:
            yield node, edge


def local(pair: tuple[Node, Local], terms: Terms) -> Equation:
    node, edge = pair
    number = None if edge.value is None else terms.value(edge.value)
    if edge.formula is None:
        return Equation(terms.edge(node.id, edge), [terms.rule(edge)], sign=":")
    return Equation(terms.edge(node.id, edge), [terms.rule(edge), number])


def chain_rule(link: Link, terms: Terms) -> Equation:
    return Equation(terms.total(link.input), [terms.symbols(link), terms.numbers(link), terms.value(link.total)])


def gradient(leaf: Leaf | Intermediate, terms: Terms) -> Equation:
    """The gradient of a variable as a formula of the variables, and its value; or a δ."""
    if isinstance(leaf, Intermediate):
        node = terms.nodes[str(leaf.gradient_of)]
        return Equation(
            terms.name(leaf.name), [terms.total(node.id), terms.formula(leaf.expression), terms.value(node.grad)]
        )
    total = terms.total(leaf.name)
    if leaf.gradient is None:
        return Equation(total, [Piece(r"\text{None}")])
    formula = None if leaf.formula is None else terms.formula(leaf.formula)
    return Equation(total, [formula, terms.value(terms.explanation.without_dust(leaf.node, leaf.gradient))])
