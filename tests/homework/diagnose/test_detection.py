"""Two slips at once, and sweeps of many slips side by side."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import pytest

from gradcli.homework.diagnose.detection import SINGLE, Suspects
from gradcli.homework.mistakes.catalogue import TITLES
from gradcli.homework.solve.graph import Graph
from gradcli.homework.solve.problem import Problem
from tests.homework.asking import apart, exam, marked, typed
from tests.homework.drawing import network_tape, scalar_tape
from tests.homework.tapes import FUNCTIONS, Change, Site, Tape, nothing, slope
from tests.programs import run, some

Slipped = tuple[str, dict[Site, Change]]


def slips(tape: Tape) -> Iterator[Slipped]:
    """Slips of several kinds, each with what it changes."""
    for site in tape.sites:
        step = tape.by_name[site.step]
        inputs = tape.inputs(step)
        if step.name not in tape.right:
            continue
        if step.op in ("sub", "div", "neg", "cos"):
            yield "sign", {site: lambda g, contribution: -contribution}
        if step.op == "pow" and site.position == 0:
            yield "power-rule", {site: slope(inputs[0] ** (inputs[1] - 1))}
        if step.op == "mul" and np.shape(inputs[site.position]) == np.shape(tape.values[step.name]):
            yield "product-own-factor", {site: slope(inputs[site.position])}
        if step.op == "tanh":
            yield "pre-post-activation", {site: slope(1 - inputs[0] ** 2)}
        if step.op == "mean":
            yield "mean-n", {site: slope(1.0)}
        if step.op in FUNCTIONS and tape.is_elementwise(tape.source(site)):
            for below in (other for other in tape.sites if other.step == tape.source(site)):
                yield "inner-dropped", {below: slope(1.0)}
    for name in tape.right:
        uses = [site for site in tape.uses(name) if site.step in tape.right]
        if len(uses) == 2:
            yield from (("fanout-overwrite", {site: nothing}) for site in uses)


def pairs(tape: Tape) -> Iterator[tuple[str, str, str, float]]:
    """A value, the codes of two slips of different kinds, and the gradient after both."""
    for (code, changes), (other, more) in combinations(slips(tape), 2):
        if code == other or changes.keys() & more.keys():
            continue
        both, one, two = tape.gradients({**changes, **more}), tape.gradients(changes), tape.gradients(more)
        for by in tape.leaves:
            if apart(both[by], tape.right[by]) and apart(both[by], one[by]) and apart(both[by], two[by]):
                yield by, *sorted((code, other), key=list(TITLES).index), both[by]


@pytest.mark.slow
@pytest.mark.parametrize("tape_of", [scalar_tape, network_tape])
def test_two_slips_are_found_or_one_that_gives_the_same(tape_of: Callable[[int], Tape]) -> None:
    seen = alone = 0
    for seed in range(1000, 1005):
        tape, grader = exam(tape_of, seed)
        found = list(pairs(tape))
        for by, code, other, number in random.Random(seed).sample(found, min(4, len(found))):
            quantity = f"d{tape.output}/d{by}"
            answer = marked(grader, {quantity: typed(number)})[quantity]
            codes = {one.code for one in answer.diagnoses}
            assert answer.verdict == "wrong"
            assert codes, f"{tape.text}\n{tape.leaves}\n{quantity} = {number}: {code} + {other}"
            if any(" + " not in one for one in codes):
                alone += 1
            else:
                assert f"{code} + {other}" in codes
                seen += 1
    assert seen > 2 * alone


def problem_of(tape: Tape) -> Problem:
    done = run(tape.text, dict(tape.leaves))
    graph = Graph(done.evaluation, tape.text)
    return Problem(graph, "gradient", graph.output, graph.names[next(iter(tape.leaves))])


@pytest.mark.parametrize("seed", some(range(12), 4))
def test_no_suspect_gives_what_is_right(seed: int) -> None:
    """Mutants that equal the truth say nothing."""
    for tape in (scalar_tape(seed, nice=True), network_tape(seed)):
        problem = problem_of(tape)
        for shelf in Suspects(problem).shelf(problem.by, SINGLE).values():
            for suspect, number in zip(shelf.suspects, shelf.numbers, strict=True):
                if np.shape(number) == np.shape(problem.truth):
                    assert not np.allclose(number, problem.truth, rtol=1e-10, atol=0), suspect.code
