"""Functions of functions: what is inside dropped, or the outer derivative at the wrong point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.homework.asking import Wrong, assignment, check, marked, typed
from tests.homework.tapes import FUNCTIONS, Site, Tape, slope


def nests(tape: Tape) -> Iterator[tuple[Site, str]]:
    """Uses of computed values as the only input of a function or a power, with the values."""
    for site in tape.sites:
        step = tape.by_name[site.step]
        is_function = step.op in FUNCTIONS or (step.op == "pow" and isinstance(step.args[1], float))
        if is_function and tape.is_elementwise(tape.source(site)) and site.step in tape.right:
            yield site, tape.source(site)


def at(tape: Tape, site: Site, point: Any) -> Any:
    """The derivative of a function of one value somewhere else."""
    inputs = tape.inputs(tape.by_name[site.step])
    inputs[site.position] = point
    return tape.local(site, *inputs)


def inner_is_one(tape: Tape) -> Iterator[Wrong]:
    for _, inner in nests(tape):
        for below in (site for site in tape.sites if site.step == inner):
            by = tape.source(below)
            yield Wrong(by, tape.gradients({below: slope(1.0)})[by], inner)


def outer_at_inner_input(tape: Tape) -> Iterator[Wrong]:
    for site, inner in nests(tape):
        for below in (site for site in tape.sites if site.step == inner):
            x = tape.source(below)
            if np.shape(tape.values[x]) == np.shape(tape.values[inner]):
                found = tape.gradients({site: slope(at(tape, site, tape.values[x]))})
                yield Wrong(x, found[x], site.step)


def outer_at_inner_derivative(tape: Tape) -> Iterator[Wrong]:
    for site, inner in nests(tape):
        below = [s for s in tape.sites if s.step == inner]
        if len(below) == 1:
            (only,) = below
            inside = tape.local(only) * np.ones_like(tape.values[inner])
            found = tape.gradients({site: slope(at(tape, site, inside)), only: slope(1.0)})
            yield Wrong(tape.source(only), found[tape.source(only)], site.step)


def insides(tape: Tape) -> Iterator[tuple[Site, Any, str, Any]]:
    """Functions, the gradient that arrives there, and the derivatives of what is inside by all below it."""
    for site, inner in nests(tape):
        if np.ndim(tape.values[inner]) == 0:
            found = tape.gradients(of=inner)
            for by in tape.below(inner):
                yield site, tape.right[site.step], by, found[by]


def nothing_from_inside(tape: Tape) -> Iterator[Wrong]:
    for site, g, by, inside in insides(tape):
        outer = g * tape.local(site)
        yield Wrong(by, tape.right[by] - outer * inside + outer, tape.source(site))


def outer_at_the_whole_derivative(tape: Tape) -> Iterator[Wrong]:
    for site, g, by, inside in insides(tape):
        yield Wrong(by, tape.right[by] - g * tape.local(site) * inside + g * at(tape, site, inside), site.step)


def looking_through_sums(tape: Tape) -> Iterator[Wrong]:
    """f(g(x) + c) with 1 for g': what is added is no step of its own on paper."""
    for _, inner in nests(tape):
        if tape.by_name[inner].op == "add":
            for part in (a for a in tape.by_name[inner].args if isinstance(a, str) and tape.is_elementwise(a)):
                for below in (s for s in tape.sites if s.step == part):
                    x = tape.source(below)
                    yield Wrong(x, tape.gradients({below: slope(1.0)})[x])


@pytest.mark.slow
def test_the_inner_derivative_is_dropped() -> None:
    check("inner-dropped", inner_is_one, scalars=25, networks=15)


@pytest.mark.slow
def test_the_outer_derivative_is_taken_at_the_inner_input() -> None:
    check("outer-at-wrong-point", outer_at_inner_input, scalars=25, networks=10)


def test_the_outer_derivative_is_taken_at_the_inner_derivative() -> None:
    check("outer-at-derivative", outer_at_inner_derivative, scalars=15, networks=5)


def test_nothing_comes_from_inside() -> None:
    check("inner-dropped", nothing_from_inside, scalars=60)


def test_sums_are_looked_through() -> None:
    check("inner-dropped", looking_through_sums, scalars=8, networks=5)


def test_the_outer_derivative_is_taken_at_the_whole_derivative() -> None:
    check("outer-at-derivative", outer_at_the_whole_derivative, scalars=40)


def test_a_function_inside_a_product_or_a_layer_has_an_inner_derivative_too() -> None:
    grader = assignment("program = 'q = tanh(z)*y'\nat = { z = 0.7, y = 2.5 }\nask = ['dq/dz']")
    assert [one.code for one in marked(grader, {"dq/dz": "2.5"})["dq/dz"].diagnoses][:1] == ["inner-dropped"]
    body = "program = 'h = tanh(W@x + b); q = sum((V@h - t)**2)'\nat.W = [[0.5, -1.5], [2, 0.3]]\nat.V = [[1, -2]]\n"
    grader = assignment(f"{body}at.x = [0.4, 1.1]\nat.b = [0.2, -0.7]\nat.t = [1.3]\nask = ['dq/db']")
    h = np.tanh(np.array([[0.5, -1.5], [2, 0.3]]) @ [0.4, 1.1] + [0.2, -0.7])
    V = np.array([[1.0, -2.0]])
    dropped = V.T @ (2 * (V @ h - 1.3))
    assert "inner-dropped" in [one.code for one in marked(grader, {"dq/db": typed(dropped)})["dq/db"].diagnoses]
