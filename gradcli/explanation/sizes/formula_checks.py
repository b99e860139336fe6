"""Checks of formulas in terms of the names of sizes, at other sizes than they were found at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gradcli.explanation.model import Explanation
from gradcli.explanation.sizes.any_values import holds
from gradcli.explanation.sizes.dims import Sizes
from gradcli.language.tree import Expression


def failing_claim(general: Explanation, sample: Explanation, sizes: Sizes, *, is_traced: bool) -> str:
    """Return which formula does not hold at the sizes of an explanation; empty where all do."""
    for subject, formula, raw, expected, names in claims(general, sample, sizes, is_traced=is_traced):
        if not holds(formula, expected, names, raw=raw):
            return subject
    return ""


def claims(
    general: Explanation, sample: Explanation, sizes: Sizes, *, is_traced: bool
) -> Iterator[tuple[str, Expression, Expression | None, Any, Mapping[str, Any]]]:
    """Yield what a formula is of, the formula, its raw form if there is one, its value, and the values of its names."""
    names = {**sizes, **sample.point}
    for x in general.intermediates:
        expected = sample.node(x.name).value if x.gradient_of is None else sample.node(x.gradient_of).grad
        yield f"the formula of {x.name}", x.expression, None, expected, names
        names = {**names, x.name: expected}
    for leaf, at in zip(general.leaves, sample.leaves, strict=True):
        for formula in (leaf.formula, leaf.formula_raw):
            if formula is not None:
                yield f"the formula by {leaf.name}", formula, leaf.formula_raw, at.gradient, names
    for step, at_step in zip(general.steps, sample.steps, strict=True) if is_traced else ():
        values = {**names, general.upstream_name: at_step.upstream}
        yield "a formula", step.rule, None, at_step.contribution, values
    for node, at_node in zip(general.nodes, sample.nodes, strict=True) if is_traced else ():
        if node.kind == "op":
            yield "a formula", node.expression, None, at_node.value, names
