"""Whatever numbers, shapes and arguments an operation is given, it has a result or an error of the program."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from random import Random

import numpy as np
import pytest

from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.explanation.evaluate import evaluate
from gradcli.language.parser import parse_program
from gradcli.source import Source
from tests.ops.hostile import Case, Example
from tests.programs import every_example, some

FAMILIES = every_example()


def outcome(case: Case) -> GradcliError | None:
    """Explain a program; return its error."""
    program = parse_program(Source(case.program))
    try:
        explain(program, case.values)
    except GradcliError as error:
        if error.code != "E213":  # the output needs an upstream gradient
            return error
    else:
        return None
    output = evaluate(program, case.values, dtype=np.dtype(np.float64)).output
    assert output is not None
    try:
        explain(program, case.values, upstream=np.ones(output.shape))
    except GradcliError as error:
        return error
    return None


def check(case: Case, capfd: pytest.CaptureFixture[str]) -> None:
    """An error has its place, and is one that somebody thought of; no library writes anything."""
    error = outcome(case)
    if error is not None:
        assert error.code != "E214", error.message
        assert (error.span is not None and error.source is not None) or error.code == "E206", error.message
    written = capfd.readouterr()
    assert not written.out
    assert not written.err


def check_all(cases: Iterable[Case], capfd: pytest.CaptureFixture[str]) -> None:
    failures = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for case in cases:
            try:
                check(case, capfd)
            except Exception as failure:
                failure.add_note(case.command)
                failures.append(failure)
    if failures:
        raise ExceptionGroup(f"{len(failures)} cases", failures)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_several_changes_at_once(family: str, capfd: pytest.CaptureFixture[str]) -> None:
    choose = Random(family)
    check_all((Example(text).random(choose) for text in some(FAMILIES[family], 2)), capfd)


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_one_change(family: str, capfd: pytest.CaptureFixture[str]) -> None:
    choose = Random(family)
    cases = [case for text in FAMILIES[family] for case in Example(text).cases()]
    check_all(choose.sample(cases, len(cases) // 160), capfd)


@pytest.mark.parametrize(
    ("program", "values"),
    [
        ("avg_pool2d(x, 4000, ceil_mode=True)", {"x": np.ones((1, 3, 3))}),
        ("conv1d(x, x)", {"x": np.ones((1, 1, 300_000))}),
        ("svd(x).S", {"x": [[1, 2, 3], [4, np.inf, 6], [7, 8, 9]]}),
        ("matrix_rank(x)", {"x": [[np.nan, 1], [1, 2]]}),
    ],
)
def test_cases_that_have_been_met(program: str, values: dict[str, object], capfd: pytest.CaptureFixture[str]) -> None:
    check_all([Case(program, {name: np.array(value, np.float64) for name, value in values.items()})], capfd)
