"""The forms of the commands in LaTeX: fragments, and whole documents where they are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from gradcli.explanation.chain.links import Link
from gradcli.explanation.chain.trace import Route, Trace
from gradcli.explanation.model import Explanation
from gradcli.render.display_options import Asked
from gradcli.render.latex.aligned import Equation
from gradcli.render.latex.formulas import multiplied
from gradcli.render.latex.functions import escaped
from gradcli.render.latex.lesson import (
    Reasons,
    Rows,
    edges,
    forward,
    fragment,
    given,
    in_variables,
    introduced,
    lesson,
    local,
    statement,
)
from gradcli.render.latex.pieces import Piece, letters, value
from gradcli.render.latex.terms import Terms
from gradcli.render.text.numbers import PRECISION

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


def derivations(
    explanation: Explanation, traces: Sequence[Trace], precision: int = PRECISION, *, why: bool = False
) -> str:
    """A block a variable, as a fragment; what was derived for an earlier one is not derived again.

    On demand the rules on the way and the reasons for them stand at the end.
    """
    terms = Terms(explanation, precision)
    sections = [
        ("", Rows(statement(explanation, terms), terms)),
        ("Forward", Rows([node for node in explanation.nodes if node.kind == "op"], terms, forward)),
    ]
    known: set[str] = set()
    for trace in traces:
        total = terms.total(trace.leaf.name)
        links = [Link(explanation.output, (), explanation.upstream), *trace.links] if trace.links else []
        own = [link for link in links if link.input not in known]
        lead = given(terms) if own and not own[0].terms else ""
        rows = Rows(own, terms, partial(derivation, trace=trace), lead)
        known.update(link.input for link in links)
        if trace.leaf.gradient is None:
            rows = Rows([Equation(total, [Piece(r"\text{None: the output does not depend on it}")])], terms)
        elif not links:  # the output is the variable
            rows = Rows([Equation(total, [terms.value(trace.leaf.gradient)])], terms)
        sections.append((f"The gradient of ${terms.name(trace.leaf.name).text}$", rows))
        if trace.routes:
            sections.append((f"Paths to ${terms.name(trace.leaf.name).text}$", Rows(paths(trace, terms), terms)))
    if why:
        used = [pair for pair in edges(explanation) if pair[1].input in known]
        sections.append(("Why the rules hold", Reasons(used, terms, local, introduced(used, terms))))
    return fragment(explanation, sections)


def derivation(link: Link, terms: Terms, trace: Trace) -> Equation:
    """One quantity: the chain rule, the local derivatives as formulas, numbers, the result.

    The gradient of the variable is also written in the variables, as the rules give it and simplified.
    """
    own = in_variables(trace.leaf, terms) if link.input == trace.leaf.node else []
    sides = [
        terms.symbols(link),
        terms.formulas(link),
        *(side for side in own if side.width <= LONGEST or side is own[-1]),
    ]
    sides.extend([terms.numbers(link), terms.value(link.total)])
    return Equation(terms.total(link.input), sides, stacked=len(link.terms) > 0)


def paths(trace: Trace, terms: Terms) -> list[Equation]:
    """Each path with its product, and the sum of all."""
    found = [_path(route, terms) for route in trace.routes or ()]
    if (trace.count or 0) > len(found):
        found.append(Equation(Piece(r"\cdots"), [Piece(f"\\text{{{trace.count:,} paths in all}}")], sign=""))
    if terms.explanation.sizes is None:
        found.append(Equation(Piece(r"\text{sum}", width=3), [terms.value(trace.leaf.gradient)]))
    return found


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
    return whole(lesson(explanation, asked.precision, why=asked.why), asked)


def trace_page(explanation: Explanation, traces: Sequence[Trace], asked: Asked) -> str:
    """Write the derivation of each gradient."""
    return whole(derivations(explanation, traces, asked.precision, why=asked.why), asked)


def whole(fragment: str, asked: Asked) -> str:
    return document(fragment) if asked.standalone else fragment
