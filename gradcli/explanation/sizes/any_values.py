"""Formulas that hold at all values of variables that have none.

They are found at made-up values and checked at others, for a rule may depend on the values: `amax` shares the gradient
among entries that tie, and its formula does not say so where none do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from gradcli.engine.numerics.draws import Draws
from gradcli.errors import EvaluationError, GradcliError
from gradcli.explanation.build import explain, gradients
from gradcli.explanation.derivatives.total import Derivative, formulas, ones_like_output
from gradcli.explanation.formulas.checking import STEPS, WAYS, candidates
from gradcli.explanation.formulas.simplified import simplified, size_of
from gradcli.explanation.model import MISSING, Explanation
from gradcli.explanation.notes import taken_for_numbers
from gradcli.explanation.sizes.dims import Sizes
from gradcli.explanation.values import rounding_at, value_of
from gradcli.explanation.variables import literal_values
from gradcli.language.tree import Expression, Program

T = TypeVar("T")
Point = Mapping[str, Any]

TURNS = range(2 + len(WAYS))
TOLERANCE = 1e-6
DRAWS = 16
NO_SIZES: Point = MappingProxyType({})


def explain_anywhere(program: Program, made_up: Point, values: Point, *, is_raw: bool, **options: Any) -> Explanation:
    """Return the explanation of a program some of whose variables have no value but numbers that are made up."""
    values = {**literal_values(program), **values}

    def derive(turn: int) -> Explanation:
        explanation = explain(program, {**values, **values_in_turn(made_up, turn)}, **options)
        explanation = replace(explanation, notes=(*explanation.notes, *taken_for_numbers(explanation, made_up)))
        return explanation if is_raw else simplified(explanation, at_any_point=True)

    def wrong_formula(explanation: Explanation, turn: int) -> str:
        point = {**values, **values_in_turn(made_up, turn)}
        return failing_gradient(explanation, gradients(program, point, **options).by, point)

    return first_that_holds(derive, wrong_formula)


def formulas_anywhere(
    program: Program, made_up: Point, values: Point, order: int, *, mixed: bool, is_raw: bool, **options: Any
) -> tuple[Derivative, ...]:
    """Return the derivatives of some order as formulas, where some variables have no value."""
    values = {**literal_values(program), **values}

    def point(turn: int) -> dict[str, Any]:
        return {**values, **values_in_turn(made_up, turn)}

    turn = 0
    if made_up:
        turn, first = turn_of_derivatives(program, point, is_raw=is_raw or order > 1, **options)
        if order == 1:
            return first
    return formulas(program, point(turn), order, mixed=mixed, is_raw=is_raw, **options)


def turn_of_derivatives(
    program: Program, point: Callable[[int], Point], *, is_raw: bool = True, **options: Any
) -> tuple[int, tuple[Derivative, ...]]:
    """Return first derivatives that hold at all values, and the turn in which they were found."""

    def derive(turn: int) -> tuple[int, tuple[Derivative, ...]]:
        return turn, formulas(program, point(turn), 1, mixed=False, is_raw=is_raw, **options)

    def wrong_formula(derivatives: tuple[int, tuple[Derivative, ...]], turn: int) -> str:
        return failing_derivative(derivatives[1], program, point(turn), **options)

    return first_that_holds(derive, wrong_formula)


def failing_derivative(
    derivatives: Sequence[Derivative],
    program: Program,
    point: Point,
    sizes: Point = NO_SIZES,
    *,
    wrt: Sequence[str] | None = None,
    of: str | None = None,
) -> str:
    """Return which first derivative is not the engine's at a point; empty where all are.

    A derivative by a tensor is compared by its gradient for a random upstream gradient.
    """
    ones = ones_like_output(program, point, of)
    seed = None if ones is None else Draws().uniform(-2, 2, ones.shape)
    expected = gradients(program, point, upstream=seed, wrt=wrt, of=of).by
    for x in derivatives:
        (name,) = x.by
        matrix = None if x.upstreams or seed is None else seed
        names = {**sizes, **point, **dict.fromkeys(x.upstreams, seed)}
        if not holds(x.formula, expected[name], names, matrix):
            return f"the formula by {name}"
    return ""


def values_in_turn(made_up: Point, turn: int) -> dict[str, Any]:
    """Return the made-up values; in turn 1 with the other sign, in later turns drawn in one of the `WAYS`."""
    if turn < 2:  # the other sign of all: where rectified units are equal
        return {name: value if turn == 0 else -value for name, value in made_up.items()}
    point = next(islice(candidates(made_up), turn - 1, None))
    return {name: np.asarray(value)[()] for name, value in point.items()}


def first_that_holds(derive: Callable[[int], T], failing: Callable[[T, int], str]) -> T:
    """Return the first derived result that holds in all turns; `failing` names a formula that does not hold.

    Raises EvaluationError where there is none.
    """
    result = derive(0)
    first = fault = _fault_in_turns(result, failing)
    for turn in TURNS[1:]:
        if not fault:
            return result
        with suppress(GradcliError):
            result = derive(turn)
            fault = _fault_in_turns(result, failing)
    if not fault:
        return result
    raise EvaluationError(
        "E215", f"{first} does not hold at all values of the variables", help="give the variables values"
    )


def _fault_in_turns(result: T, failing: Callable[[T, int], str]) -> str:
    for turn in TURNS:
        with suppress(GradcliError), np.errstate(all="ignore"):  # there are no values to compare
            if fault := failing(result, turn):
                return fault
    return ""


def failing_gradient(explanation: Explanation, gradients: Mapping[str, Any], at: Point) -> str:
    """Return which formula does not give the gradient at a point; empty where all do, as far as there is time."""
    left = STEPS
    values = {**at, explanation.seed_name: explanation.upstream}
    for x in explanation.intermediates:
        values[x.name] = value_of(x.expression, values)
    for leaf in explanation.leaves:
        for formula in (leaf.formula, leaf.formula_raw):
            left -= size_of(formula)
            expected = gradients[leaf.name]
            if left >= 0 and expected is not None and not holds(formula, expected, values, raw=leaf.formula_raw):
                return f"the formula by {leaf.name}"
    return ""


def holds(
    formula: Expression | None, expected: Any, names: Point, seed: Any = None, *, raw: Expression | None = None
) -> bool:
    """Tell whether a formula, or `seed` times that matrix, has a value, up to rounding, where that is finite.

    With the raw formula its rounding is known, too: a simplified one may be 0 where terms of the raw one cancel.
    """
    if formula is None or formula == MISSING or expected is None:
        return True
    try:
        computed = np.asarray(value_of(formula, names), np.float64)
        if seed is not None:
            computed = np.tensordot(seed, np.broadcast_to(computed, seed.shape + np.shape(expected)), seed.ndim)
        computed = np.broadcast_to(computed, np.shape(expected))
    except (GradcliError, ValueError):
        return False
    finite = np.isfinite(expected)
    with np.errstate(all="ignore"):
        distance = np.where(finite, np.abs(computed - expected), 0.0)
    scale = float(np.max(np.abs(expected), initial=0.0, where=finite))
    if (distance <= TOLERANCE * scale).all():
        return True
    if seed is not None:
        return bool((distance <= np.max(rounding_at(names, formula, count=DRAWS)) * np.abs(seed).sum()).all())
    return bool((distance <= rounding_at(names, formula, raw, count=DRAWS, bound=distance)).all())


# Checks of formulas in terms of the names of sizes, at other sizes than they were found at.


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
