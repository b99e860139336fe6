"""Two outcomes of one snippet: numbers agree up to their last digits, and the first line that differs is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradcli.script.comparison import Difference, Failure, Outcome, difference

PRINTED = (("a.py", 3, "x tensor([0.1235, "), ("a.py", 3, "2.]) <B at 0x7f01>\n"), ("a.py", 5, "done\nin 4 steps\n"))
FAILURE = Failure("ValueError", "no\nmore", ("a.py", 7))
OUTCOME = Outcome(PRINTED, {"w": np.float32([1 / 3, 2e5])}, FAILURE)


def printed(text: str) -> Outcome:
    return replace(OUTCOME, printed=[("a.py", 3, text)])


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (OUTCOME, replace(OUTCOME, printed=[("a.py", 3, "x tensor([0.1236, 2.]) <B at 0x55>\ndone\nin 4 steps\n")])),
        (OUTCOME, replace(OUTCOME, gradients={"w": [0.33334, 200001.0], "other": None})),
        (OUTCOME, replace(OUTCOME, failure=replace(FAILURE, message="in other words"))),
        (printed("1.0000e-05 nan -inf\n"), printed("1.0001e-05 nan -inf\n")),
        (printed("loss: 0.69314718\n"), printed("loss: 0.69314724\n")),
    ],
)
def test_outcomes_that_agree(ours: Outcome, theirs: Outcome) -> None:
    assert difference(ours, theirs) is None
    assert difference(theirs, ours) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "found"),
    [
        (printed("a 1\n"), printed("b 1\n"), Difference(("a.py", 3), "printed", "a 1", "b 1")),
        (
            OUTCOME,
            replace(OUTCOME, failure=None),
            Difference(("a.py", 7), "error", "ValueError: no", "no error"),
        ),
        (
            replace(printed("a\n"), failure=None),
            replace(printed("a\nb"), failure=None),
            Difference(("a.py", 3), "printed", "nothing", "b"),
        ),
        (
            replace(OUTCOME, gradients={"w": None}),
            replace(OUTCOME, gradients={"w": 1.0}),
            Difference(("", 0), "w.grad", "None", "1.0"),
        ),
        (
            replace(OUTCOME, gradients={"w": [1.0, 2.0]}),
            replace(OUTCOME, gradients={"w": [[1.0, 2.0]]}),
            Difference(("", 0), "w.grad", "[1.0, 2.0]", "[[1.0, 2.0]]"),
        ),
    ],
)
def test_the_first_difference(ours: Outcome, theirs: Outcome, found: Difference) -> None:
    assert difference(ours, theirs) == found
