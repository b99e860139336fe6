"""The key of an assignment gets full marks when it is handed in, as text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gradcli.homework.answer_file import answer, answers, filled_in
from gradcli.homework.grading import Grader
from gradcli.homework.submission.submissions import read_json, read_text
from tests.homework.asking import assignment, question
from tests.homework.drawing import network_tape, scalar_tape

SAMPLES = sorted((Path(__file__).parents[2] / "samples" / "homework").glob("*.toml"))
GRADING = {"defaults": "", "exact": "rtol = 0\natol = 0", "digits": "rtol = 0\natol = 0\nprecision = 12"}


def handed_in(grader: Grader) -> None:
    text = "\n".join(filled_in(grader))
    table = json.dumps({id: answers(key) for id, key in grader.keys.items()})
    for submission in (read_text("key.txt", "key", text), read_json("key.json", "key", table)):
        result = grader.grade(submission)
        assert result.is_right, [a for a in result.answers if a.verdict != "correct"]
        assert result.score == result.max_score > 0


@pytest.mark.slow
@pytest.mark.parametrize("grading", GRADING.values(), ids=GRADING)
@pytest.mark.parametrize("seed", range(4))
def test_the_keys_of_random_programs(seed: int, grading: str) -> None:
    for tape in (scalar_tape(seed), network_tape(1000 + seed)):
        gradients = [name for name in tape.named if name in tape.right]
        asks = [f"d{tape.output}/d{name}" for name in gradients]
        handed_in(assignment(question(tape, [*asks, *tape.named]), grading))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_formulas_of_random_programs(seed: int) -> None:
    tape = scalar_tape(seed, nice=True)
    asks = [{"quantity": f"d{tape.output}/d{name}", "form": "expression"} for name in tape.leaves]
    written = ", ".join(f'{{ quantity = "{one["quantity"]}", form = "expression" }}' for one in asks)
    body = question(tape, []).replace("ask = []", f"ask = [{written}]")
    grader = assignment(body)
    text = "\n".join(filled_in(grader))
    assert {a.verdict for a in grader.grade(read_text("key.txt", "key", text)).answers} <= {"correct", "missing"}


def test_what_snippets_are_asked() -> None:
    script = """
import torch
a = torch.tensor([1.1, -2.0], requires_grad=True)
b = a * 3
b.sum().backward()
n = 3
"""
    asks = '["a.grad", "b.grad", "a > 0", "a", "b.grad_fn", "b.shape", "n", "a.is_leaf", "a.dtype", "a.sum()", "1/3"]'
    handed_in(assignment(f"script = '''{script}'''\nask = {asks}"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ("MulBackward0", "MulBackward0"),
        (np.float64(1.6999999999999997), "1.7"),
        (np.float32(0.1), "0.1"),
        (np.float64(1e300), "1e+300"),
        (np.int64(7), "7"),
        (np.array([]), "[]"),
    ],
)
def test_numbers_are_written_as_somebody_would(value: object, text: str) -> None:
    assert answer(value) == text
