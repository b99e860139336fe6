"""The digits that are asked for: the same from every command, and all of them from `grad` where nobody asks."""

from __future__ import annotations

import re

import pytest

from tests.commands.running import gradcli
from tests.programs import some

POINTS = [
    ("x/3", "x=1"),
    ("x**3", "x=1.1"),
    ("1e20*x", "x=1"),
    ("sin(x)", "x=0.5"),
    ("1234567*x", "x=1"),
    ("5*x", "x=1"),
]


@pytest.mark.parametrize("precision", some(range(1, 18), 4))
@pytest.mark.parametrize(("program", "value"), POINTS)
def test_grad_and_eval_write_a_number_alike(
    capsys: pytest.CaptureFixture[str], program: str, value: str, precision: int
) -> None:
    arguments = [program, value, "--precision", str(precision)]
    written = gradcli(capsys, ["grad", *arguments]).out.split("\t")[1].strip()
    last = gradcli(capsys, ["eval", *arguments]).out.splitlines()[-1]
    assert last.endswith(f"= {written}")
    assert len(re.sub(r"e.*|^0\.0*|[-.]", "", written)) <= max(precision, 7)  # whole numbers keep their digits


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (["x/3", "x=[1,2]", "--upstream", "[1,2]"], "[0.333, 0.667]"),
        (["sum(x**3/7)", "x=[[1,2],[3,4]]"], "[[0.429, 1.71], [3.86, 6.86]]"),
        (["sum(x)", "x=[]"], "[]"),
        (["x*1e300*1e300", "x=1"], "Infinity"),
        (["x/3", "x=1", "--dtype", "float32"], "0.333"),
        (["detach(x)", "x=1"], "None"),
    ],
)
def test_arrays_and_what_has_no_digits(capsys: pytest.CaptureFixture[str], arguments: list[str], written: str) -> None:
    assert gradcli(capsys, ["grad", *arguments, "--precision", "3"]).out == f"x\t{written}\n"


@pytest.mark.parametrize("precision", ["0", "18", "-1", "x", ""])
def test_no_precision(capsys: pytest.CaptureFixture[str], precision: str) -> None:
    for command in ("grad", "eval"):
        result = gradcli(capsys, [command, "x", "x=1", f"--precision={precision}"])
        assert (result.code, result.out) == (2, "")
        assert "error[E001]" in result.err
