"""Sweeps that go on from each other, or through a part of the graph, give the numbers of whole ones, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.diagnose.detection import Suspects, attempt, sweeps
from gradcli.homework.grading import Grader
from gradcli.homework.mistakes.declaration import Slip
from gradcli.homework.solve.problem import Problem
from gradcli.source import Source

TEXT = """
[[question]]
id = 'layer'
program = 'h = relu(X @ W + b); y = sigmoid(h @ v); L = mean((y - t)**2)'
at = { X = [[1.1, -0.7], [0.4, 2.3]], W = [[0.6, 1.2], [-0.9, 0.8]], b = [0.2, -0.1], v = [0.7, -1.4], t = [1, 0] }
ask = ['dL/dy', 'dL/dh', 'dL/dW', 'dL/db', 'dL/dX']
"""


@pytest.fixture(scope="module")
def problems() -> list[Problem]:
    (key,) = Grader(read_assignment(Source(TEXT, "class.toml"))).keys.values()
    return [problem for problem in key.problems.values() if problem is not None]


@pytest.mark.parametrize("number", range(5))
def test_slips_and_pairs_of_them_have_the_numbers_of_whole_sweeps(problems: list[Problem], number: int) -> None:
    problem = problems[number]
    found = Suspects(problem)
    suspects = [*found.slips, *islice(found.pairs(), 200)]
    assert len(suspects) > 30
    for suspect, value in zip(suspects, sweeps(problem, suspects)(problem.by), strict=True):
        changes = {edge: c for slip in suspect.parts if isinstance(slip, Slip) for edge, c in slip.changes.items()}
        np.testing.assert_array_equal(value, attempt(problem, changes).get(problem.by), strict=True)


def test_a_part_of_the_graph_gives_what_the_whole_does(problems: list[Problem]) -> None:
    above = problems[1]
    for problem in problems[2:]:
        alone = replace(problem, given={above.by: above.truth * 1.3}, cache={}, is_alone=True)
        part = alone.part(frozenset(alone.given))
        assert len(part.vertices) < len(alone.above)
        np.testing.assert_array_equal(alone.swept(only=part)[alone.by], alone.swept()[alone.by], strict=True)
        assert not np.array_equal(alone.truth, problem.truth)


def test_a_turn_is_looked_into_where_it_shows_and_gives_what_the_whole_graph_does(problems: list[Problem]) -> None:
    above = problems[1]
    for problem in problems[2:]:
        alone = replace(problem, given={above.by: above.truth * 1.3}, cache={}, is_alone=True)
        part, whole = (Suspects(one).turns for one in (alone, replace(alone, is_alone=False, cache={})))
        assert len(part) == len(whole) > 5
        for (suspect, _, gradients), (_, _, others) in zip(part, whole, strict=True):
            for one, other in zip(gradients, others, strict=True):
                found, right = one.get(alone.by), other.get(alone.by)
                if right is None and found is not None:  # nothing arrives at the gradient that is given
                    right = alone.truth
                np.testing.assert_array_equal(found, right, err_msg=suspect.parts[0].rule)
