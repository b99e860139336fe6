"""Every structured primitive says why its rules hold: its formulas, evaluated, are its forward and its rules."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import gradcli.ops.indexing.subscript  # noqa: F401 - its primitives are in the registry
from gradcli.engine.broadcast import sum_to_size
from gradcli.engine.primitive import REGISTRY, Primitive
from gradcli.engine.recorder import Application
from gradcli.engine.tensor import Tensor
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.index.derivation import equations
from gradcli.explanation.index.formulas import Formulas, formulas, names_of
from gradcli.explanation.index.printing import Writer
from gradcli.explanation.index.reasons import differential
from gradcli.explanation.index.tree import Equation, Space, Tensors, ranges, variables
from gradcli.explanation.values import Variables
from gradcli.ops.indexing.indexing import select
from tests.programs import EXAMPLES, family, listed_programs, of_every
from tests.tapes import tape_of

STRUCTURED = [
    name
    for name, primitive in REGISTRY.items()
    if primitive.structured and any(primitive.rules) and "adjoint" not in primitive.traits
]
LARGEST = 100.0  # beyond it, exponentials are those that primitives compute by other formulas
SYMMETRIC = {"cholesky", "eigh_eigenvalues", "eigh_eigenvectors"}  # of matrices whose changes are symmetric, too
PATH = ((select, {"dim": 1, "index": 2}),)
# of programs that assign to parts, which examples are not
ASSIGNED = [
    ("index_put", ([[1.0, 2.0], [3.0, 4.0]], [5.0, 6.0], [1, 0], [0, 0]), {"dims": (0, 1)}),
    ("index_put", ([1.0, 2.0, 3.0], [5.0, 6.0, 7.0], [1, 0, 1]), {"dims": (0,)}),
    ("overwrite", ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [7.0, 8.0]), {"path": PATH}),
    ("regenerated", ([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],), {"path": PATH}),
]


def evaluated(equation: Equation, tensors: Tensors, result: Any) -> Any:
    """Add the right side to the entries of `result` that the left side names, and return it."""
    sizes = ranges(equation, tensors)
    space = Space(tensors, sizes)
    value = space.evaluate(equation.right)
    axes = [space.axis[name] for name in variables(equation.left)]
    shape = [sizes[name] if space.axis[name] in axes else 1 for name in sizes]
    places, inside = space.places(equation.left)
    inside = np.broadcast_to(inside, shape)
    entries = result.reshape(-1) if equation.left.is_flat else result
    chosen = tuple(np.broadcast_to(place, shape)[inside] for place in places)
    np.add.at(entries, chosen or (), np.broadcast_to(value, shape)[inside] if chosen else np.reshape(value, ()))
    return result


def numbers(x: Any) -> Any:
    return x.value if isinstance(x, Tensor) else x


def is_moderate(values: list[Any]) -> bool:
    """Whether the formulas, which know no tricks against overflow, can be evaluated."""
    reals = [np.asarray(x) for x in values if np.asarray(x).dtype.kind == "f"]
    return all(np.max(np.abs(x), initial=0, where=np.isfinite(x)) < LARGEST for x in reals)


def check(application: Application) -> None:
    """Compare the formulas of an application with its value and with its rules, for random upstream gradients."""
    primitive, inputs, out = application.primitive, [numbers(x) for x in application.inputs], application.out.value
    if not is_moderate([*inputs, out]):
        return
    g = np.asarray(np.random.default_rng(3).normal(size=np.shape(out)))[()]
    with np.errstate(all="ignore"):
        forward, is_first = np.zeros(np.shape(out)), True
        for position, rule in enumerate(primitive.rules_for(inputs)):
            if position >= len(inputs) or rule is None or not isinstance(application.inputs[position], Tensor):
                continue
            found = formulas(primitive, g, out, inputs, application.options, position)
            if found is None:  # by its options, as of padding with another number than 0
                return
            reads_back(found)
            if is_first or primitive.variadic:
                for equation in found.forward:
                    forward = evaluated(equation, found.tensors, forward)
            has_forward, is_first = bool(found.forward), False
            assert found.gradient is not None
            shape = np.shape(inputs[position])
            gradient = evaluated(found.gradient, found.tensors, np.zeros(shape))
            expected = rule(g, out, *inputs, **application.options)
            if np.shape(expected) != shape:
                expected = sum_to_size(expected, size=shape)
            np.testing.assert_allclose(gradient, expected, rtol=1e-9, atol=1e-12, err_msg=f"by input {position}")
        if not is_first and has_forward:
            np.testing.assert_allclose(forward, out, rtol=1e-9, atol=1e-12, err_msg="forward")


def reads_back(found: Formulas) -> None:
    """The text of a formula gives the formula, in Unicode and in ASCII."""
    for equation in found.forward:
        for write in (Writer(number=repr), Writer(ascii=True, number=repr)):
            assert equations(write.equation(equation)) == (equation,), write.equation(equation)


def applications(program: str) -> list[Application]:
    """The applications of structured primitives that have an index formula."""
    return [a for a in tape_of(program) if a.primitive.index and any(a.primitive.rules)]


@pytest.mark.slow
@of_every([*EXAMPLES, *listed_programs()], family, 8)
def test_the_formulas_are_the_forward_and_the_rules(program: str) -> None:
    for application in applications(program):
        check(application)


@of_every(ASSIGNED, lambda _: "assignments")
def test_the_formulas_of_assignments(case: tuple[str, tuple[Any, ...], dict[str, Any]]) -> None:
    name, inputs, options = case
    values = [np.array(x) for x in inputs]
    out = REGISTRY[name].forward(*values, **options)
    check(Application(REGISTRY[name], tuple(map(Tensor, values)), options, Tensor(out)))


@cache
def decomposed() -> dict[str, list[Application]]:
    found: dict[str, list[Application]] = {}
    for program in EXAMPLES:
        for application in tape_of(program):
            first = numbers(application.inputs[0])
            if application.primitive.differential and np.ndim(first) == 2:
                found.setdefault(application.primitive.name, []).append(application)
    return found


@pytest.mark.slow
@of_every([name for name in STRUCTURED if REGISTRY[name].differential], lambda _: "all")
def test_the_differential_gives_the_rules(name: str) -> None:
    """The change of the result, weighted by `g`, is the change of the inputs, weighted by their gradients."""
    for application in decomposed()[name]:
        primitive, out = application.primitive, application.out.value
        inputs = [numbers(x) for x in application.inputs]
        random = np.random.default_rng(5)
        changes = [random.normal(size=np.shape(x)) for x in inputs]
        if name in SYMMETRIC:
            changes = [(x + x.T) / 2 for x in changes]
        g = np.asarray(random.normal(size=np.shape(out)))
        moved = changed(primitive, out, inputs, application.options, changes)
        rules = primitive.rules_for(inputs)
        gradients = [rule(g, out, *inputs, **application.options) for rule in rules if rule is not None]
        expected = sum(np.sum(gradient * change) for gradient, change in zip(gradients, changes, strict=True))
        np.testing.assert_allclose(np.sum(g * moved), expected, rtol=1e-7)


def changed(primitive: Primitive, out: Any, inputs: list[Any], options: dict[str, Any], changes: list[Any]) -> Any:
    program = differential(primitive, out, inputs, options)
    assert program is not None
    _, _, *names = names_of(primitive, len(inputs), 0)
    values = {"out": out}
    for name, x, change in zip(names, inputs, changes, strict=True):
        values.update({name: x, f"d{name}": change})
    needed = {name: values[name] for name in Variables.of(program).places}
    result = evaluate(program, needed, dtype=np.dtype(np.float64)).output
    assert result is not None
    return result.value
