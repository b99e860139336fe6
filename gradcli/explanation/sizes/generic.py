"""Explanations whose formulas hold at every size.

A program is explained at several assignments of numbers to the names of sizes. Where these disagree in more than
numbers that come from sizes, the formula depends on the sizes, and that is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from gradcli.errors import EvaluationError, GradcliError
from gradcli.explanation.build import explain, gradients
from gradcli.explanation.derivatives.total import Derivative, formulas, ones_like_output
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation, Leaf, Local, Node
from gradcli.explanation.sizes.anywhere import (
    anywhere,
    failing_derivative,
    failing_gradient,
    holds,
    redrawn,
    turn_of_derivatives,
)
from gradcli.explanation.sizes.dims import Dims, Sizes, arrays, assignments, even_assignments, named
from gradcli.explanation.sizes.holding import failing
from gradcli.explanation.sizes.merging import merged
from gradcli.explanation.sizes.reasons import merged_reason
from gradcli.explanation.values import value_of
from gradcli.explanation.variables import Variables, literal_values, placeholders
from gradcli.language.tree import Expression, Program, names


def explain_at_any_size(
    program: Program,
    dims: Mapping[str, Dims],
    values: Mapping[str, Any],
    *,
    wrt: Sequence[str] | None = None,
    of: str | None = None,
    is_raw: bool = False,
    is_traced: bool = True,
) -> Explanation:
    """Return the explanation in terms of the names of sizes; its values are those of one assignment, and made up.

    A size is also a number in the program. An output that is no number has an upstream gradient, by its name.
    Unless it `is_traced`, only the formulas of variables and intermediates are meant to be read.
    """
    runs = assignments(dims)

    def derived(turn: int) -> Explanation:
        found = []
        for sizes in runs:
            try:
                found.append(_at(program, dims, values, sizes, wrt, of, is_raw=is_raw, turn=turn))
            except GradcliError as error:
                raise named(error, sizes) from None
        return generalized(found, runs, is_traced=is_traced)

    def failing_in(general: Explanation, turn: int) -> str:
        given = made_up(program, dims, values, runs[0], turn)
        upstream = ones_like_output(program, given, of)
        names = wrt or differentiated(program, dims, runs[0])
        there = gradients(program, given, wrt=names, of=of, upstream=upstream)
        return failing_gradient(general, there.by, {**runs[0], **given})

    general = anywhere(derived, failing_in)
    for sizes in even_assignments(dims):
        try:
            at_even = _at(program, dims, values, sizes, wrt, of, is_raw=True)
        except GradcliError as error:
            raise named(error, sizes) from None
        if what := failing(general, at_even, sizes, is_traced=is_traced):
            raise _depends(what)
    return replace(general, sizes={name: one.sizes for name, one in dims.items()})


def formulas_at_any_size(
    program: Program, dims: Mapping[str, Dims], values: Mapping[str, Any], order: int, *, mixed: bool, **options: Any
) -> tuple[Derivative, ...]:
    """Return the derivatives of some order as formulas in terms of the names of sizes."""
    runs = assignments(dims)

    def asked(sizes: Sizes) -> dict[str, Any]:
        return {"wrt": options["wrt"] or differentiated(program, dims, sizes), "of": options["of"]}

    def at(sizes: Sizes) -> tuple[Mapping[str, Any], tuple[Derivative, ...]]:
        given = made_up(program, dims, values, sizes, turn)
        try:
            return given, formulas(program, given, order, mixed=mixed, **{**options, **asked(sizes)})
        except GradcliError as error:
            raise named(error, sizes) from None

    try:
        turn, _ = turn_of_derivatives(
            program, lambda turn: made_up(program, dims, values, runs[0], turn), **asked(runs[0])
        )
    except GradcliError as error:
        raise named(error, runs[0]) from None
    same = zip(*(at(sizes)[1] for sizes in runs), strict=True)
    found = tuple(replace(one[0], formula=merged([each.formula for each in one], runs)) for one in same)
    for sizes in even_assignments(dims):
        given, there = at(sizes)
        if order == 1 and failing_derivative(found, program, given, sizes, **asked(sizes)):
            raise _depends("a formula")
        for general, one in zip(found, there, strict=True):
            if general.formula is None or one.formula is None or one.given:  # a map of gradients that have no values
                continue
            if not holds(general.formula, value_of(one.formula, given), {**sizes, **given}):
                raise _depends("a formula")
    return found


def made_up(
    program: Program, dims: Mapping[str, Dims], values: Mapping[str, Any], sizes: Sizes, turn: int = 0
) -> dict[str, Any]:
    """Return values for all variables, others in each turn; a size is also a number in the program."""
    values = {**literal_values(program), **values}
    given = {**arrays(dims, sizes), **values}
    given |= {name: float(sizes[name]) for name in Variables.of(program).missing(given) if name in sizes}
    given |= placeholders(program, given)
    return given | redrawn(
        {name: x for name, x in given.items() if name not in {*values, *sizes} or name in dims}, turn
    )


def differentiated(program: Program, dims: Mapping[str, Dims], sizes: Sizes) -> list[str]:
    """Return the variables that are no sizes."""
    return [name for name in Variables.of(program).places if name not in sizes or name in dims]


def _at(
    program: Program,
    dims: Mapping[str, Dims],
    values: Mapping[str, Any],
    sizes: Sizes,
    wrt: Sequence[str] | None,
    of: str | None,
    *,
    is_raw: bool,
    turn: int = 0,
) -> Explanation:
    given = made_up(program, dims, values, sizes, turn)
    wrt = wrt or differentiated(program, dims, sizes)
    upstream = ones_like_output(program, given, of)
    found = explain(program, given, wrt=wrt, of=of, upstream=upstream, is_seed_named=True)
    return found if is_raw else simplified(found, at_any_point=True)


def generalized(found: Sequence[Explanation], runs: Sequence[Sizes], *, is_traced: bool) -> Explanation:
    """Return the explanation whose formulas hold at every size; its values are of the first run."""
    first = found[0]
    leaves = tuple(_leaf(one, runs) for one in zip(*(one.leaves for one in found), strict=True))
    used = {name for leaf in leaves if leaf.formula is not None for name in names(leaf.formula)}
    named = [one.intermediates if used & {x.name for x in one.intermediates} else () for one in found]
    if len({(tuple(node.op for node in one.nodes), len(x)) for one, x in zip(found, named, strict=True)}) > 1:
        raise _depends("the computation")
    between = tuple(
        replace(one[0], expression=_certain([x.expression for x in one], runs)) for one in zip(*named, strict=True)
    )
    found_leaves = replace(first, leaves=leaves, intermediates=between)
    if not is_traced:
        return found_leaves
    nodes = tuple(_node(one, runs) for one in zip(*(one.nodes for one in found), strict=True))
    steps = tuple(
        replace(one[0], rule=_certain([step.rule for step in one], runs))
        for one in zip(*(one.steps for one in found), strict=True)
    )
    return replace(found_leaves, nodes=nodes, steps=steps)


def _node(found: Sequence[Node], runs: Sequence[Sizes]) -> Node:
    first = found[0]
    if first.kind != "op" or first.op is None:
        number = merged([node.expression for node in found], runs)
        return first if number is None else replace(first, expression=number)
    wholes = [node.whole for node in found if node.whole is not None]
    if len(wholes) not in (0, len(found)):
        raise _depends("the computation")
    return replace(
        first,
        expression=_certain([node.expression for node in found], runs),
        locals=_locals([node.locals for node in found], runs),
        whole=replace(
            wholes[0],
            expression=_certain([whole.expression for whole in wholes], runs),
            locals=_locals([whole.locals for whole in wholes], runs),
        )
        if wholes
        else None,
    )


def _locals(found: Sequence[Sequence[Local]], runs: Sequence[Sizes]) -> tuple[Local, ...]:
    return tuple(
        replace(
            one[0],
            rule=_certain([local.rule for local in one], runs),
            formula=None if one[0].formula is None else _certain([local.formula for local in one], runs),
            reason=merged_reason([local.reason for local in one], runs),
        )
        for one in zip(*found, strict=True)
    )


def _leaf(found: Sequence[Leaf], runs: Sequence[Sizes]) -> Leaf:
    """Return the leaf with the simplified formula, or the raw one where that alone is the same at every size."""
    raw = merged([leaf.formula_raw for leaf in found], runs)
    short = merged([leaf.formula for leaf in found], runs)
    if raw is None and short is None and found[0].formula is not None:
        raise _depends(f"the formula by {found[0].name}")
    return replace(found[0], formula=short if short is not None else raw, formula_raw=raw)


def _certain(trees: Sequence[Expression | None], runs: Sequence[Sizes]) -> Expression:
    found = merged(trees, runs)
    if found is None:
        raise _depends("a formula")
    return found


def _depends(what: str) -> EvaluationError:
    return EvaluationError(
        "E215", f"{what} depends on the sizes in more than numbers", help="give the variables values, or sizes"
    )
