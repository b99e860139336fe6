"""Explanations whose formulas hold at every size.

A program is explained at several assignments of numbers to the names of sizes. Where these disagree in more than
numbers that come from sizes, the formula depends on the sizes, and that is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
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
from gradcli.explanation.model import MISSING, Explanation, Leaf, Local, Node
from gradcli.explanation.notes import taken_for_numbers
from gradcli.explanation.sizes.merging import (
    Dims,
    Sizes,
    arrays,
    assignments,
    even_assignments,
    merged,
    with_size_names,
)
from gradcli.explanation.values import Variables, literal_values, placeholders, rounding_at, value_of
from gradcli.facts import dataclass
from gradcli.language.tree import Expression, Program, names

# Formulas that hold at all values of variables that have none.
#
# They are found at made-up values and checked at others, for a rule may depend on the values: `amax` shares the
# gradient among entries that tie, and its formula does not say so where none do.


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
    for subject, formula, raw, expected, point in claims(general, sample, sizes, is_traced=is_traced):
        if not holds(formula, expected, point, raw=raw):
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


@dataclass(frozen=True)
class Sized:
    """A program whose variables have shapes without numbers, as it is where the sizes have some."""

    program: Program
    dims: Mapping[str, Dims]
    values: Mapping[str, Any]
    wrt: Sequence[str] | None
    of: str | None

    def point(self, sizes: Sizes, turn: int = 0) -> dict[str, Any]:
        """Return values for all variables, others in each turn; a size is also a number in the program."""
        values = {**literal_values(self.program), **self.values}
        point = {**arrays(self.dims, sizes), **values}
        point |= {name: float(sizes[name]) for name in Variables.of(self.program).missing(point) if name in sizes}
        point |= placeholders(self.program, point)
        made_up = {name: x for name, x in point.items() if name not in {*values, *sizes} or name in self.dims}
        return point | values_in_turn(made_up, turn)

    def options(self, sizes: Sizes) -> dict[str, Any]:
        """Return the variables to differentiate by, by default all that are no sizes, and the output."""
        places = Variables.of(self.program).places
        return {"wrt": self.wrt or [x for x in places if x not in sizes or x in self.dims], "of": self.of}

    def explained(self, sizes: Sizes, *, is_raw: bool, turn: int = 0) -> Explanation:
        with in_size_names(sizes):
            point = self.point(sizes, turn)
            upstream = ones_like_output(self.program, point, self.of)
            options = {**self.options(sizes), "upstream": upstream}
            explanation = explain(self.program, point, is_seed_named=True, **options)
            return explanation if is_raw else simplified(explanation, at_any_point=True)


@contextmanager
def in_size_names(sizes: Sizes) -> Iterator[None]:
    """Let errors tell the names of sizes, too."""
    try:
        yield
    except GradcliError as error:
        raise with_size_names(error, sizes) from None


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
    runs, sized = assignments(dims), Sized(program, dims, values, wrt, of)

    def derive(turn: int) -> Explanation:
        explanations = [sized.explained(sizes, is_raw=is_raw, turn=turn) for sizes in runs]
        return generalize(explanations, runs, is_traced=is_traced)

    def wrong_formula(general: Explanation, turn: int) -> str:
        point = sized.point(runs[0], turn)
        by_engine = gradients(program, point, upstream=ones_like_output(program, point, of), **sized.options(runs[0]))
        return failing_gradient(general, by_engine.by, {**runs[0], **point})

    general = first_that_holds(derive, wrong_formula)
    for sizes in even_assignments(dims):
        if fault := failing_claim(general, sized.explained(sizes, is_raw=True), sizes, is_traced=is_traced):
            raise _depends(fault)
    return replace(general, sizes={name: x.sizes for name, x in dims.items()})


def formulas_at_any_size(
    program: Program, dims: Mapping[str, Dims], values: Mapping[str, Any], order: int, *, mixed: bool, **options: Any
) -> tuple[Derivative, ...]:
    """Return the derivatives of some order as formulas in terms of the names of sizes."""
    runs, sized = assignments(dims), Sized(program, dims, values, options["wrt"], options["of"])

    def at(sizes: Sizes) -> tuple[Mapping[str, Any], tuple[Derivative, ...]]:
        point = sized.point(sizes, turn)
        with in_size_names(sizes):
            return point, formulas(program, point, order, mixed=mixed, **{**options, **sized.options(sizes)})

    with in_size_names(runs[0]):
        turn, _ = turn_of_derivatives(program, partial(sized.point, runs[0]), **sized.options(runs[0]))
    alike = zip(*(at(sizes)[1] for sizes in runs), strict=True)
    merged_forms = tuple(replace(form[0], formula=merged([x.formula for x in form], runs)) for form in alike)
    for sizes in even_assignments(dims):
        point, derivatives = at(sizes)
        if order == 1 and failing_derivative(merged_forms, program, point, sizes, **sized.options(sizes)):
            raise _depends("a formula")
        for general, form in zip(merged_forms, derivatives, strict=True):
            if general.formula is None or form.formula is None or form.upstreams:  # a map of gradients without values
                continue
            if not holds(general.formula, value_of(form.formula, point), {**sizes, **point}):
                raise _depends("a formula")
    return merged_forms


def generalize(explanations: Sequence[Explanation], runs: Sequence[Sizes], *, is_traced: bool) -> Explanation:
    """Return the explanation whose formulas hold at every size; its values are of the first run."""
    first = explanations[0]
    leaves = tuple(_leaf(same, runs) for same in zip(*(e.leaves for e in explanations), strict=True))
    names_used = {name for leaf in leaves if leaf.formula is not None for name in names(leaf.formula)}
    listed = [e.intermediates if names_used & {x.name for x in e.intermediates} else () for e in explanations]
    if len({(tuple(node.op for node in e.nodes), len(x)) for e, x in zip(explanations, listed, strict=True)}) > 1:
        raise _depends("the computation")
    merged_intermediates = tuple(
        replace(same[0], expression=_certain([x.expression for x in same], runs)) for same in zip(*listed, strict=True)
    )
    of_leaves = replace(first, leaves=leaves, intermediates=merged_intermediates)
    if not is_traced:
        return of_leaves
    nodes = tuple(_node(same, runs) for same in zip(*(e.nodes for e in explanations), strict=True))
    steps = tuple(
        replace(same[0], rule=_certain([step.rule for step in same], runs))
        for same in zip(*(e.steps for e in explanations), strict=True)
    )
    return replace(of_leaves, nodes=nodes, steps=steps)


def _node(nodes: Sequence[Node], runs: Sequence[Sizes]) -> Node:
    first = nodes[0]
    if first.kind != "op" or first.op is None:
        number = merged([node.expression for node in nodes], runs)
        return first if number is None else replace(first, expression=number)
    wholes = [node.whole for node in nodes if node.whole is not None]
    if len(wholes) not in (0, len(nodes)):
        raise _depends("the computation")
    return replace(
        first,
        expression=_certain([node.expression for node in nodes], runs),
        locals=_locals([node.locals for node in nodes], runs),
        whole=replace(
            wholes[0],
            expression=_certain([whole.expression for whole in wholes], runs),
            locals=_locals([whole.locals for whole in wholes], runs),
        )
        if wholes
        else None,
    )


def _locals(edges: Sequence[Sequence[Local]], runs: Sequence[Sizes]) -> tuple[Local, ...]:
    return tuple(
        replace(
            x[0],
            rule=_certain([local.rule for local in x], runs),
            formula=None if x[0].formula is None else _certain([local.formula for local in x], runs),
            reason=None,  # of which the numbers are those of one size
        )
        for x in zip(*edges, strict=True)
    )


def _leaf(leaves: Sequence[Leaf], runs: Sequence[Sizes]) -> Leaf:
    """Return the leaf with the simplified formula, or the raw one where that alone is the same at every size."""
    raw = merged([leaf.formula_raw for leaf in leaves], runs)
    formula = merged([leaf.formula for leaf in leaves], runs)
    if raw is None and formula is None and leaves[0].formula is not None:
        raise _depends(f"the formula by {leaves[0].name}")
    return replace(leaves[0], formula=formula if formula is not None else raw, formula_raw=raw)


def _certain(trees: Sequence[Expression | None], runs: Sequence[Sizes]) -> Expression:
    tree = merged(trees, runs)
    if tree is None:
        raise _depends("a formula")
    return tree


def _depends(part: str) -> EvaluationError:
    return EvaluationError(
        "E215", f"{part} depends on the sizes in more than numbers", help="give the variables values, or sizes"
    )
