"""What must hold of every program: of its values, its gradients and all that is written of them.

Each law yields what is broken. Numbers in floats are compared first; where they differ, fifty digits decide.
"""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import mpmath
import numpy as np

from gradcli.errors import GradcliError
from gradcli.explanation.chain.links import chain, trace
from gradcli.explanation.derivatives import total
from gradcli.explanation.sizes.generic import explain_at_any_size
from gradcli.explanation.sizes.merging import Dims
from gradcli.explanation.values import apart, placeholders, value_of
from gradcli.language.tree import Number
from gradcli.language.unparser import unparse
from tests.fuzz.laws import oracle, precise
from tests.fuzz.laws.comparing import Broken, equal, flipped, holds, near, reads_back, same, shown
from tests.fuzz.laws.subject import Subject, in_names, read

PATHS = 40
SHARE = 8  # one of so many programs is held to laws that take long; with GRADCLI_ALL each is
MOST_SECONDS = 4  # variables by pairs of which a program is differentiated twice
MOST_ENTRIES = 12  # of all variables, for Jacobians and Hessians
SHOWN = 300


def broken(arguments: Sequence[str]) -> Iterator[Broken]:
    """Yield what is broken about a program with its values. Raises GradcliError where it is refused."""
    subject = Subject(*read(arguments))
    subject.raw  # noqa: B018  what cannot be evaluated is refused here
    for law in LAWS:
        try:
            with np.errstate(all="ignore"), mpmath.workdps(precise.DIGITS):
                yield from law(subject)
        except (precise.UnknownError, precise.NotFiniteError):
            continue
        except GradcliError as error:
            yield f"{law.__name__}: refused", str(error)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            yield f"exit 70: {type(error).__name__} in {place.name}", f"{law.__name__}: {error}"


def the_value_is_that_in_fifty_digits(subject: Subject) -> Iterator[Broken]:
    found = precise.output(subject.program, subject.exact)
    if not same(subject.raw.value, found, subject.noise):
        yield "the value is another in fifty digits", f"{subject.raw.value} for {shown(found)}"


def gradients_are_slopes(subject: Subject) -> Iterator[Broken]:
    if not subject.is_smooth:
        return
    for leaf in subject.raw.leaves:
        slope = precise.slopes(subject.program, subject.exact, leaf.name)
        gradient = np.zeros(np.shape(slope)) if leaf.gradient is None else leaf.gradient
        if subject.is_alike(partial(same, gradient, slope), leaf.formula_raw):
            continue
        if flipped(slope, precise.slopes(subject.program, subject.exact, leaf.name, 14)):
            continue  # a kink that has no note
        if not np.isfinite(gradient).all() and subject.is_told_not_finite:
            continue  # as in torch, where 0 times infinity is on the way
        yield "a gradient is no slope", f"by {leaf.name}: {gradient} for {shown(slope)}"


def torch_has_the_same(subject: Subject) -> Iterator[Broken]:
    """Its conventions at kinks, ties and ends of domains are those here."""
    answer = oracle.gradients(subject.program, subject.variables)
    if answer is None or any("but for rounding" in note.message for note in subject.raw.notes):
        return
    value, gradients = answer
    if not near(subject.raw.value, value, 30 * subject.noise):
        yield "torch has another value", f"{subject.raw.value} for {value}"
    for leaf in subject.raw.leaves:
        gradient = np.zeros(np.shape(gradients[leaf.name])) if leaf.gradient is None else leaf.gradient
        if not subject.is_alike(partial(near, gradient, gradients[leaf.name]), leaf.formula_raw, 30):
            yield "torch has another gradient", f"by {leaf.name}: {gradient} for {gradients[leaf.name]}"


def each_number_is_what_stands_to_its_left(subject: Subject) -> Iterator[Broken]:
    explanation = subject.raw
    known = {node.id: node.value for node in explanation.nodes}
    for node in explanation.nodes:
        if node.kind == "op":
            yield from equal(value_of(node.expression, known), node.value, f"{node.id} = {unparse(node.expression)}")
        for local in node.locals:
            if local.formula is not None:
                text = f"∂{node.id}/∂{local.input} = {unparse(local.formula)}"
                yield from equal(value_of(local.formula, known), local.value, text)
    for step in explanation.steps:
        found = value_of(step.rule, {**known, explanation.upstream_name: step.upstream})
        size = apart(0.0, step.upstream)
        yield from equal(found, step.contribution, f"{step.node} to {step.input}: {unparse(step.rule)}", size)
    for term in (term for link in chain(explanation) for term in link.terms if term.is_product and not term.is_gate):
        product, step = np.multiply(term.step.upstream, term.local.value), term.step
        yield from equal(product, step.contribution, f"{step.node} to {step.input}, in a row", apart(0.0, product))


def contributions_and_paths_sum_to_the_gradient(subject: Subject) -> Iterator[Broken]:
    for leaf in subject.raw.leaves:
        found = trace(subject.raw, leaf.name, PATHS)
        if leaf.gradient is None or found.routes is None:
            continue
        link = next(link for link in found.links if link.input == leaf.node)
        ways = {"contributions": [term.step.contribution for term in link.terms]} if link.terms else {}
        if found.count is not None and found.count <= PATHS:
            ways["paths"] = [route.value for route in found.routes]
        for what, values in ways.items():
            size = sum((np.abs(value) for value in values), np.zeros(()))
            if not near(sum(values), leaf.gradient, 1e-12 * float(np.max(size, initial=1e-3))):
                yield f"{what} do not sum to the gradient", f"by {leaf.name}: {sum(values)} for {leaf.gradient}"


def formulas_have_the_value_of_the_engine(subject: Subject) -> Iterator[Broken]:
    """Simplified, raw and engine are the same at the point, and simplified and raw at others."""
    explanation = subject.explanation
    for leaf in explanation.leaves:
        if leaf.gradient is None or leaf.formula_raw is None:
            continue
        formulas = {"raw formula": leaf.formula_raw, "simplified formula": leaf.formula}
        for what, formula in formulas.items():
            if formula is not None:
                yield from reads_back(formula)
                point = in_names(explanation, subject.variables)
                yield from holds(formula, leaf.formula_raw, point, leaf.gradient, what)
        for values in subject.points if leaf.formula is not None else ():
            point = in_names(explanation, {**subject.variables, **values})
            raw = np.broadcast_to(value_of(leaf.formula_raw, point), np.shape(leaf.gradient))
            yield from holds(leaf.formula, leaf.formula_raw, point, raw, "simplified formula elsewhere")


def formulas_without_values_hold_at_any_point(subject: Subject) -> Iterator[Broken]:
    for leaf in subject.symbolic.leaves if subject.is_of_numbers else ():
        if leaf.formula is None or leaf.formula_raw is None or leaf.gradient is None:
            continue
        yield from reads_back(leaf.formula)
        for point in (subject.variables, *subject.points):
            values = {**subject.variables, **point}
            try:
                gradient = subject.function.gradients((leaf.name,), **values)[leaf.name]
            except GradcliError:
                continue
            point = in_names(subject.symbolic, values)
            yield from holds(leaf.formula, leaf.formula_raw, point, gradient, "formula of --symbolic")


def is_left_out(subject: Subject) -> bool:
    """Tell whether what takes long is left out for this program."""
    return bool(len(subject.program.source.text) % SHARE) and "GRADCLI_ALL" not in os.environ


def formulas_at_any_size_hold_at_this_one(subject: Subject) -> Iterator[Broken]:
    if is_left_out(subject) or subject.is_of_numbers or subject.seed is not None or not subject.is_smooth:
        return
    if any(node.op == "prod" and not np.all(node.value) for node in subject.raw.nodes):
        return  # prod(x)/x, as a textbook has it, says nothing of an entry that is 0
    sizes = {f"n{size}": size for value in subject.values.values() for size in np.shape(value) if size > 1}
    dims = {
        name: Dims(tuple(size if size == 1 else f"n{size}" for size in np.shape(value)))
        for name, value in subject.values.items()
        if np.ndim(value)
    }
    numbers = {name: value for name, value in subject.values.items() if not np.ndim(value)}
    try:
        found = explain_at_any_size(subject.program, dims, numbers, is_traced=False)
    except GradcliError:
        return  # not at any size
    for leaf, here in zip(found.leaves, subject.raw.leaves, strict=True):
        if leaf.formula is not None and here.gradient is not None:
            point = in_names(found, {**subject.variables, **sizes})
            yield from holds(
                leaf.formula, None, point, here.gradient, "formula at any size", subject.noise_with(here.formula_raw)
            )


def second_and_third_derivatives_are_slopes_of_slopes(subject: Subject) -> Iterator[Broken]:
    wrt = [leaf.name for leaf in subject.raw.leaves]
    if is_left_out(subject) or not subject.is_of_numbers or not subject.is_smooth or len(wrt) > MOST_SECONDS:
        return
    values = total.derivatives(subject.program, subject.values, 2, mixed=True)
    made_up = placeholders(subject.program, {})
    formulas = total.formulas(subject.program, made_up, 2, mixed=True)
    for number, formula in zip(values, formulas, strict=True):
        first, other = number.by
        slope, again = (precise.second(subject.program, subject.exact, first, other, power) for power in (12, 11))
        if flipped(slope, again) or not np.isfinite(number.value):
            continue
        if not subject.is_alike(partial(same, number.value, slope), formula.formula, 1e2):
            yield "a second derivative is no slope", f"by {first}, {other}: {number.value} for {shown(slope)}"
        if formula.formula == Number(0) and near(number.value, 0, 1e3 * subject.noise):
            continue
        if formula.formula is not None and subject.is_of_one_piece:
            yield from reads_back(formula.formula)
            what = "formula of a second derivative"
            yield from holds(formula.formula, None, subject.variables, number.value, what, subject.noise)
    for number in total.derivatives(subject.program, subject.values, 3, mixed=False):
        slope, again = (precise.third(subject.program, subject.exact, number.by[0], power) for power in (9, 8))
        if flipped(slope, again) or not np.isfinite(number.value):
            continue
        if not same(number.value, slope, 1e3 * subject.noise):
            yield "a third derivative is no slope", f"by {number.by[0]}: {number.value} for {shown(slope)}"


def jacobians_and_hessians_of_tensors_are_those_of_the_engine(subject: Subject) -> Iterator[Broken]:
    if subject.is_of_numbers or not subject.is_smooth:
        return
    order = 1 if subject.seed is not None else 2
    if sum(np.size(value) for value in subject.raw.point.values()) > MOST_ENTRIES:
        return
    values = total.derivatives(subject.program, subject.values, order, mixed=False)
    try:
        formulas = total.formulas(subject.program, subject.values, order, mixed=False)
    except GradcliError:
        return
    for number, formula in zip(values, formulas, strict=True):
        if formula.formula is None or not np.isfinite(number.value).all():
            continue
        yield from reads_back(formula.formula)
        if formula.formula == Number(0) and near(number.value, 0, 1e3 * subject.noise):
            continue
        given = dict.fromkeys(formula.upstreams, 1.0)
        expected = np.asarray(number.value)
        if formula.upstreams:  # the linear map, for ones
            shapes = expected.shape[: expected.ndim - np.ndim(subject.raw.point[number.by[-1]])]
            given = dict.fromkeys(formula.upstreams, np.ones(shapes)) if len(formula.upstreams) == 1 else {}
            if not given:
                continue
            expected = expected.sum(axis=tuple(range(len(shapes))))
        what = "formula of a Jacobian" if order == 1 else "formula of a Hessian"
        yield from holds(formula.formula, None, {**subject.variables, **given}, expected, what, subject.noise)


LAWS: tuple[Callable[[Subject], Iterator[Broken]], ...] = (
    the_value_is_that_in_fifty_digits,
    gradients_are_slopes,
    torch_has_the_same,
    each_number_is_what_stands_to_its_left,
    contributions_and_paths_sum_to_the_gradient,
    formulas_have_the_value_of_the_engine,
    formulas_without_values_hold_at_any_point,
    formulas_at_any_size_hold_at_this_one,
    second_and_third_derivatives_are_slopes_of_slopes,
    jacobians_and_hessians_of_tensors_are_those_of_the_engine,
)


def judge(arguments: Sequence[str]) -> tuple[int, str]:
    """Return an exit code and a page: 0 if every law holds, 1 with each that does not, 3 if the program is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = dict(broken(arguments))
    except GradcliError as error:
        return 3, f"refused: {error}\n"
    if not found:
        return 0, "every law holds\n"
    return 1, "".join(f"{law}\n    {' '.join(why.split())[:SHOWN]}\n" for law, why in found.items())
