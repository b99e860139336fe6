"""Calls that torch's kernels refuse for the kind of their numbers, with its message, as recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.script.torch.operations.kernels import REFUSED
from tests.script.running import ours

LINES = Path(__file__).with_name("kernels.txt").read_text("utf-8").splitlines()
FACTS = [
    (message if message.startswith("RuntimeError: ") else f"NotImplementedError: {message}", call)
    for message, call in (line.split(" | ") for line in LINES)
]
BEFORE = "import torch\nimport torch.nn.functional as F\n"


@pytest.mark.parametrize(("message", "call"), FACTS, ids=[call for _, call in FACTS])
def test_kernels_refuse_the_kinds_of_numbers_that_torchs_refuse(message: str, call: str) -> None:
    assert ours(BEFORE + call.replace("; ", "\n")) == f"Error: {message}\n"


def test_each_function_that_refuses_has_a_recorded_call() -> None:
    calls = " ".join(call for _, call in FACTS)
    assert [name for name in REFUSED if f".{name}" not in calls] == []


@pytest.mark.parametrize(
    "call",
    [
        "torch.pow(x, 0.5)",
        "torch.pow(x, 2)",
        "torch.fmod(x, 2)",
        "torch.ceil(x.int())",
        "torch.addr(x[:1, None], x[:1], x[:1])",
    ],
)
def test_kinds_are_those_after_promotion(call: str) -> None:
    assert ours(f"import torch\nx = torch.tensor([True, False])\n{call}\nprint(1)") == "1\n"


WRAPPED = {
    "x + 300": [47, 244],
    "300 - x": [41, 100],
    "x.add_(300)": [47, 244],
    "x * -1": [253, 56],
    "x // 300": [0, 4],
    "x | -2": [255, 254],
    "x.clamp(-1)": [255, 255],
    "x.fill_(-1)": [255, 255],
    "torch.full_like(x, -1)": [255, 255],
}


@pytest.mark.parametrize("call", WRAPPED)
def test_whole_numbers_are_cut_to_the_bits_of_bytes(call: str) -> None:
    text = f"import torch\nx = torch.tensor([3, 200], dtype=torch.uint8)\nprint(({call}).tolist())"
    assert ours(text) == f"{WRAPPED[call]}\n"


PROMOTED = {
    "torch.atan2(torch.tensor(0.5, dtype=torch.float64), torch.tensor([2]))": "float64",
    "torch.igamma(torch.tensor(0.5, dtype=torch.float64), torch.tensor([2]))": "float64",
    "torch.special.zeta(torch.tensor(2.5, dtype=torch.float64), torch.tensor([2]))": "float64",
    "torch.atan2(torch.tensor([2]), torch.tensor([2]))": "float32",
    "nn.functional.l1_loss(torch.tensor([3], dtype=torch.uint8), torch.tensor([2]), reduction='none')": "int64",
}


@pytest.mark.parametrize("call", PROMOTED)
def test_whole_numbers_are_promoted_with_the_fractions_beside_them(call: str) -> None:
    assert ours(f"import torch\nfrom torch import nn\nprint(({call}).dtype)") == f"torch.{PROMOTED[call]}\n"


def test_whole_numbers_keep_their_digits_beside_double_precision() -> None:
    call = "torch.atan2(torch.tensor([0.5], dtype=torch.float64), torch.tensor([123456789])).item()"
    assert ours(f"import torch\nprint({call})") == "4.050000036855001e-09\n"
