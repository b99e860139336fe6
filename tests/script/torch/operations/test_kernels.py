"""Calls that torch's kernels refuse for the kind of their numbers, with its message, as recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.script.torch.operations.kernels import REFUSED
from tests.script.running import ours

FACTS = [line.split(" | ") for line in Path(__file__).with_name("kernels.txt").read_text("utf-8").splitlines()]
BEFORE = "import torch\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(("message", "call"), FACTS, ids=[call for _, call in FACTS])
def test_kernels_refuse_the_kinds_of_numbers_that_torchs_refuse(message: str, call: str) -> None:
    assert ours(BEFORE + call.replace("; ", "\n")) == f"Error: NotImplementedError: {message}\n"


def test_each_function_that_refuses_has_a_recorded_call() -> None:
    calls = " ".join(call for _, call in FACTS)
    assert [name for name in REFUSED if f".{name}" not in calls] == []


@pytest.mark.parametrize("call", ["torch.pow(x, 0.5)", "torch.pow(x, 2)", "torch.fmod(x, 2)", "torch.ceil(x.int())"])
def test_kinds_are_those_after_promotion(call: str) -> None:
    assert ours(f"import torch\nx = torch.tensor([True, False])\n{call}\nprint(1)") == "1\n"
