"""Gradients for scripts: a name, a tab, a value."""

from __future__ import annotations

from gradcli.explanation.model import Explanation, Leaf
from gradcli.language.unparser import unparse
from gradcli.source import visible
from gradcli.stream.values import plain


def gradients(explanation: Explanation) -> str:
    """`x1<TAB>14`; every digit that the number has, arrays as nested lists."""
    return "\n".join(f"{visible(leaf.name)}\t{_exact(leaf.gradient)}" for leaf in explanation.leaves)


def _exact(value: object) -> str:
    if value is None:
        return "None"
    written = plain(value)
    if isinstance(written, float) and written.is_integer() and abs(written) < 1e15:
        return str(int(written))
    return str(written).replace("'", "")


def formulas(explanation: Explanation) -> str:
    """`x1<TAB>2*(x1 + a*x2)`, and below `v1 = a*x2` for each name in long ones that is no variable."""
    gradients = [f"{visible(leaf.name)}\t{_formula(leaf)}" for leaf in explanation.leaves]
    return "\n".join([*gradients, *(visible(f"{x.name} = {unparse(x.expression)}") for x in explanation.intermediates)])


def _formula(leaf: Leaf) -> str:
    if leaf.formula is not None:
        return visible(unparse(leaf.formula))
    return "None" if leaf.gradient is None else "(too long)"
