"""Gradients for scripts: a name, a tab, a value."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.explanation.derivatives.total import Derivative
from gradcli.explanation.model import Explanation, Gradients, Leaf
from gradcli.language.tree import names
from gradcli.language.unparser import unparse
from gradcli.render.lesson.terms import Terms
from gradcli.render.text.layout import Row, Section, lay_out
from gradcli.render.text.looks import Looks
from gradcli.render.text.numbers import number
from gradcli.render.text.wrapping import lines_of
from gradcli.source import visible
from gradcli.stream.values import Json, plain


def gradients(values: Gradients, looks: Looks, precision: int | None = None) -> str:
    """`x1<TAB>14`; every digit that the number has unless a precision is given, arrays as nested lists."""
    return _listed([(name, _written(gradient, precision)) for name, gradient in values.by.items()], looks)


def _listed(pairs: Iterable[tuple[str, str]], looks: Looks) -> str:
    """Return names and texts with a tab between them, which a terminal shows as columns."""
    named = [(visible(name), text) for name, text in pairs]
    if looks.width is None:
        return "\n".join(map("\t".join, named))
    return lay_out([Section("", [Row((f"{name} ", text)) for name, text in named])], looks)


def _written(value: object, precision: int | None) -> str:
    if value is None:
        return "None"
    written = plain(value)
    if precision is not None:
        return _rounded(written, precision)
    if isinstance(written, float) and written.is_integer() and abs(written) < 1e15:
        return str(int(written))
    return str(written).replace("'", "")


def _rounded(written: Json, precision: int) -> str:
    """Return a number, or nested lists of numbers, with so many digits; nan and infinity have names."""
    if isinstance(written, list):
        return f"[{', '.join(_rounded(item, precision) for item in written)}]"
    return written if isinstance(written, str) else number(written, precision)


def formulas(explanation: Explanation, looks: Looks) -> str:
    """`x1<TAB>2*(x1 + a*x2)`, and below `v1 = a*x2` for each name in long ones that is no variable.

    Of the name of a gradient that line says of which: `g_v1 = ∂z/∂v1 = ...`.
    """
    terms = Terms(explanation, looks)
    trees = [x.formula for x in explanation.leaves] + [x.expression for x in explanation.intermediates]
    named = []
    if any(tree is not None and explanation.seed_name in names(tree) for tree in trees):
        named.append(f"{explanation.seed_name} = {terms.total(explanation.output)}")
    for x in explanation.intermediates:
        of = f"{terms.total(x.gradient_of)} = " if x.gradient_of else ""
        named.append(visible(f"{x.name} = {of}{unparse(x.expression)}"))
    is_missing = any(note.code == "internal" for note in explanation.notes)
    lines = [line for text in named for line in lines_of(text, looks.width)]
    return "\n".join(
        [_listed([(leaf.name, _formula(leaf, is_missing=is_missing)) for leaf in explanation.leaves], looks), *lines]
    )


def _formula(leaf: Leaf, *, is_missing: bool) -> str:
    if leaf.formula is not None:
        return visible(unparse(leaf.formula))
    if leaf.gradient is None:
        return "None"
    return "(missing)" if leaf.formula_raw is None and is_missing else "(too long)"


def derivatives(entries: Iterable[Derivative], looks: Looks, precision: int | None = None) -> str:
    """`x,y<TAB>12`, or the formula; of one variable differentiated twice `x,x`."""
    return _listed([(",".join(entry.by), _entry(entry, precision)) for entry in entries], looks)


def _entry(derivative: Derivative, precision: int | None) -> str:
    if derivative.value is not None:
        return _written(derivative.value, precision)
    return "(too long)" if derivative.formula is None else visible(unparse(derivative.formula))
