"""Several processes give what one gives, in the same order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from gradcli.errors import EvaluationError
from gradcli.workers import mapped


def doubled(number: int) -> int:
    return 2 * number


def failing(number: int) -> int:
    if number == 3:
        raise ZeroDivisionError("three")
    return number


def dying(number: int) -> int:
    if number == 3:
        os._exit(1)
    return number


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_order(jobs: int) -> None:
    assert list(mapped(doubled, range(10), jobs)) == list(range(0, 20, 2))
    assert list(mapped(doubled, [], jobs)) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_work_raises(jobs: int) -> None:
    found = mapped(failing, range(10), jobs)
    assert [next(found), next(found), next(found)] == [0, 1, 2]
    with pytest.raises(ZeroDivisionError, match="three"):
        next(found)


def test_a_process_that_dies() -> None:
    with pytest.raises(EvaluationError, match="a process died"):
        list(mapped(dying, range(10), 2))


@pytest.mark.parametrize("jobs", [1, 2])
def test_little_is_read_ahead_and_a_pause_waits_for_answers(jobs: int) -> None:
    read: list[Any] = []

    def blocks() -> Iterator[Any]:
        for block in [1, 2, None, *range(3, 30)]:
            read.append(block)
            yield block

    answers = mapped(doubled, blocks(), jobs)
    assert [next(answers), next(answers)] == [2, 4]
    assert read[-1] in (2, None)
    for answered, answer in enumerate(answers, 3):
        assert answer == 2 * answered
        assert len([block for block in read if block]) <= answered + jobs
