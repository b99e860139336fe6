"""Formulas in terms of the names of sizes, evaluated at other sizes than those that they were found at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gradcli.explanation.model import Explanation
from gradcli.explanation.sizes.anywhere import holds
from gradcli.explanation.sizes.dims import Sizes
from gradcli.language.tree import Expression


def failing(general: Explanation, there: Explanation, sizes: Sizes, *, is_traced: bool) -> str:
    """Return which formula does not hold at the sizes of an explanation; empty where all do."""
    for what, formula, raw, expected, names in claims(general, there, sizes, is_traced=is_traced):
        if not holds(formula, expected, names, raw=raw):
            return what
    return ""


def claims(
    general: Explanation, there: Explanation, sizes: Sizes, *, is_traced: bool
) -> Iterator[tuple[str, Expression, Expression | None, Any, Mapping[str, Any]]]:
    """Yield what a formula says, the formula, its raw form if it has one, its value, the values of names."""
    names = {**sizes, **there.point}
    for one in general.intermediates:
        expected = there.node(one.name).value if one.gradient_of is None else there.node(one.gradient_of).grad
        yield f"the formula of {one.name}", one.expression, None, expected, names
        names = {**names, one.name: expected}
    for leaf, at in zip(general.leaves, there.leaves, strict=True):
        for formula in (leaf.formula, leaf.formula_raw):
            if formula is not None:
                yield f"the formula by {leaf.name}", formula, leaf.formula_raw, at.gradient, names
    for step, at_step in zip(general.steps, there.steps, strict=True) if is_traced else ():
        given = {**names, general.upstream_name: at_step.upstream}
        yield "a formula", step.rule, None, at_step.contribution, given
    for node, at_node in zip(general.nodes, there.nodes, strict=True) if is_traced else ():
        if node.kind == "op":
            yield "a formula", node.expression, None, at_node.value, names
