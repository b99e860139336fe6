"""Means, broadcasting and layout, over numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.homework.asking import Wrong, assignment, check, exam, explains, marked, typed
from tests.homework.drawing import network_tape
from tests.homework.mistakes.derivatives.test_rules import everywhere, steps
from tests.homework.tapes import Change, Site, Tape, summed_to
from tests.programs import some


def times(factor: float) -> Change:
    return lambda g, contribution: contribution * factor


def divisors(tape: Tape) -> Iterator[Wrong]:
    """The 1/n of a mean, or of a division by a number, left out or used twice."""
    for step in steps(tape, "average", "mean", "mse_loss", "div"):
        n: Any = len(step.args) if step.op == "average" else np.size(tape.inputs(step)[0])
        if step.op == "div":
            n = step.args[1]
        if not isinstance(n, str) and n != 1:
            for factor in (n, 1 / n):
                changes = {s: times(factor) for s in tape.sites if s.step == step.name}
                yield from everywhere(tape, changes, step.name)


def stretched(tape: Tape) -> Iterator[tuple[Site, Any, tuple[int, ...]]]:
    """The uses of values that are broadcast there, with what flows back before it is summed, and the axes."""
    for site in tape.sites:
        source, g = tape.source(site), tape.right.get(site.step)
        if tape.is_elementwise(site.step) and np.shape(tape.values[source]) != np.shape(g):
            whole = tape.contribution(site, g) * np.ones_like(g)
            small = (1,) * (np.ndim(whole) - np.ndim(tape.values[source])) + np.shape(tape.values[source])
            yield site, whole, tuple(n for n, size in enumerate(small) if size != np.shape(whole)[n])


def unsummed(tape: Tape) -> Iterator[Wrong]:
    """The gradient in the shape of what the value was broadcast to."""
    for site, whole, _ in stretched(tape):
        if len(tape.uses(tape.source(site))) == 1:
            yield Wrong(tape.source(site), whole)


def other_axis(tape: Tape) -> Iterator[Wrong]:
    for site, whole, axes in stretched(tape):
        for axis in {0, 1} - set(axes) if len(tape.uses(tape.source(site))) == 1 else ():
            yield Wrong(tape.source(site), np.sum(whole, axis))


def reduced(tape: Tape) -> Iterator[Wrong]:
    """The mean, the first or the last slice for the sum, also for what is below."""
    ways: tuple[Callable[[Any, tuple[int, ...]], Any], ...] = (
        lambda whole, axes: np.mean(whole, axes),
        lambda whole, axes: whole[tuple(0 if n in axes else slice(None) for n in range(np.ndim(whole)))],
        lambda whole, axes: whole[tuple(-1 if n in axes else slice(None) for n in range(np.ndim(whole)))],
    )
    for site, whole, axes in stretched(tape):
        source = tape.source(site)
        for way in ways:
            yield Wrong(source, np.reshape(way(whole, axes), np.shape(tape.values[source])), site.step)


def transposed(tape: Tape) -> Iterator[Wrong]:
    for by in tape.named:
        if np.ndim(tape.right.get(by)) == 2 and 1 not in np.shape(tape.right[by]):
            yield Wrong(by, tape.right[by].T, by)


def missing_transpose(tape: Tape) -> Iterator[Wrong]:
    """`g @ W` for `g @ W.T` and `X @ g` for `X.T @ g`, where the shapes allow it."""
    for step in steps(tape, "matmul"):
        x, w = tape.inputs(step)
        g = tape.right[step.name]
        slips: list[Callable[[Any], Any]] = [lambda g, w=w: g @ w, lambda g, x=x: x @ g]
        for position, slip in enumerate(slips):
            try:
                fits = np.shape(slip(g)) == np.shape((x, w)[position])
            except ValueError:
                continue
            if fits:
                yield from everywhere(tape, {Site(step.name, position): lambda g, _, slip=slip: slip(g)}, step.name)


def test_divisors() -> None:
    check("mean-n", divisors, scalars=40, networks=40)


def test_the_gradient_is_not_summed() -> None:
    check("broadcast-unsummed", unsummed, networks=25)


def test_the_gradient_is_summed_over_another_axis() -> None:
    check("broadcast-unsummed", other_axis, networks=10)


def test_a_slice_or_the_mean_for_the_sum() -> None:
    check("broadcast-unsummed", reduced, networks=40)


def test_the_transpose_is_given() -> None:
    check("transpose", transposed, networks=50)


def test_a_transpose_is_missing() -> None:
    check("transpose", missing_transpose, networks=15)


@pytest.mark.slow
@pytest.mark.parametrize("seed", some(range(1000, 1020), 4))
def test_one_entry_alone_is_wrong(seed: int) -> None:
    """No rule explains a slip in one entry: the grade stands, and the entry is named."""
    tape, grader = exam(network_tape, seed)
    by = next(name for name in tape.leaves if np.size(tape.right[name]) > 3)
    off = np.array(tape.right[by])
    off.flat[2] += 1 + abs(off.flat[2])
    answer = marked(grader, {f"d{tape.output}/d{by}": typed(off)})[f"d{tape.output}/d{by}"]
    place = ", ".join(str(n) for n in np.unravel_index(2, np.shape(off)))
    assert answer.verdict == "wrong"
    assert {one.code for one in answer.diagnoses} <= {"digit-slip"}
    assert answer.remark == f"1 of {off.size} entries is off, most of all [{place}]"


@pytest.mark.slow
def test_a_bias_of_a_batch() -> None:
    """The gradient of a bias as one row a sample, by direct formulas."""
    for seed in some(range(1000, 1080), 4):
        tape, grader = exam(network_tape, seed)
        adds = [s for s in tape.steps if s.op == "add" and s.args[1] == "v" and np.ndim(tape.leaves["v"]) == 1]
        for step in adds:
            rows = tape.right[step.name]
            assert np.allclose(summed_to(rows, np.shape(tape.leaves["v"])), tape.right["v"])
            explains("broadcast-unsummed", grader, tape, Wrong("v", rows, "v"))


@pytest.mark.parametrize("answer", ["[4.0, -1.25]", "7.25", "[0.5, 2.75, 4.0]"])
def test_any_slice_and_any_sum_for_the_sum_over_the_rows(answer: str) -> None:
    """The gradient by X is G."""
    body = "program = 'q = sum(G*(X + b))'\nat.G = [[1.5, -1.0], [4.0, -1.25], [2.5, 1.5]]\n"
    grader = assignment(body + "at.X = [[1, 2], [3, 4], [5, 6]]\nat.b = [0.5, 0.25]\nask = ['dq/db']")
    assert "broadcast-unsummed" in [one.code for one in marked(grader, {"dq/db": answer})["dq/db"].diagnoses]


def test_what_was_never_summed_with_other_uses_or_steps_between() -> None:
    X, b = np.array([[1.5, -1.0], [4.0, 2.5], [0.3, 0.7]]), np.array([0.5, 0.25])
    for program, whole in (
        ("q = sum((X + b)**2) + sum(b**2)", 2 * (X + b) + 2 * b),
        ("c = 3*b; q = sum((X + c)**2)", 6 * (X + 3 * b)),
    ):
        grader = assignment(f"program = '{program}'\nat.X = {X.tolist()}\nat.b = {b.tolist()}\nask = ['dq/db']")
        answer = marked(grader, {"dq/db": typed(whole)})["dq/db"]
        assert answer.verdict == "shape"
        assert answer.diagnoses[0].code == "broadcast-unsummed"
