"""Formulas of programs as people type them, without values: each line once was false, or ended the program."""

from __future__ import annotations

import re

import pytest

from tests.commands.running import gradcli

SYMBOLIC: dict[str, dict[str, str]] = {
    "log(1.1 + (0.76*k)**2)": {"k": "1.1552*k/(0.5776*k**2 + 1.1)"},
    "atan(x/5.51)": {"x": "5.51/(x**2 + 30.3601)"},
    "(0.61*x+9.81)**-1": {"x": "-0.61/(0.61*x + 9.81)**2"},
    "log1p(k/3.47)": {"k": "1/(k + 3.47)"},
    "2.21/(1.5+(k*0.46)**2)": {"k": "-0.935272*k/(0.2116*k**2 + 1.5)**2"},
    "h = minimum(0.23, 0.88)/4; (1.2 + y**2)**h": {"y": "0.115*y/(y**2 + 1.2)**0.9425"},
    "rsqrt(acos(1.1*m))": {"m": "0.55/(acos(1.1*m)**1.5*sqrt(1 - 1.21*m**2))"},
    "hypot(x, 0.45)*x": {"x": "hypot(x, 0.45) + x**2/hypot(x, 0.45)"},
    "where(x>0,1,1)*x": {"x": "1"},
    "asin(1.1*x)": {"x": "1.1/sqrt(1 - 1.21*x**2)"},
    "sqrt(1.21*x**2-1)": {"x": "1.21*x/sqrt(1.21*x**2 - 1)"},
    "(x**2*m**2-x**2)*(8.14*m-8.88)*8.1253*m --wrt x": {"x": "16.2506*x*m*(8.14*m - 8.88)*(m**2 - 1)"},
    "reciprocal((x**2+5.77*x*k+4.130*k**2)/(x*k)) --wrt x": {
        "x": "k*(4.13*k**2 - x**2)/(x**2 + 5.77*x*k + 4.13*k**2)**2"
    },
    "((x+3.15)**2-(k+0.669)**2)**(1/3) --wrt x": {"x": "2*(x + 3.15)/(3*((x + 3.15)**2 - (k + 0.669)**2)**(2/3))"},
    "where(0.5776*B**2 == amax((0.76*B)**2), B, 0)": {"B": "where(0.5776*B**2 == amax((0.76*B)**2), 1, 0)"},
    "4e-5*(26209*acosh(x))**10": {"x": "10.4836*26209.0**9*acosh(x)**9/sqrt(x**2 - 1)"},
    "(299792458*x)**2": {"x": "2*299792458**2*x"},
    "mean(x**2)": {"x": "2*x"},
    "x//2.5 --order 4": {"x,x,x,x": "0"},
    "sigmoid(x) --order 2": {"x,x": "sigmoid(x)*(1 - sigmoid(x))*(1 - 2*sigmoid(x))"},
    "sum((X@w)**2)*mean(t[2:]) X:n,d w:d t:T": {
        "X": "2*mean(t[2:])*outer(X @ w, w)",
        "w": "2*mean(t[2:])*(X.T @ (X @ w))",
        "t": "slice_backward(expand(sum((X @ w)**2), (T - 2,)), shape=(T,), dim=0, start=2, stop=T)/(T - 2)",
    },
    "sum(conv1d(x, w)) x:b,c,l w:k,c,3": {
        "x": "conv_transpose1d(expand(1, (b, k, l - 2)), w)",
        "w": "transpose(conv1d(transpose(x, 0, 1), transpose(expand(1, (b, k, l - 2)), 0, 1)), 0, 1)",
    },
    "sum(x**2, dim=0, keepdim=True) --jacobian x:n": {"x": "2*unsqueeze(x, 0)"},
    "sum((X @ (1/w))**2) X:n,d w:d": {"X": "2*outer(X @ (1/w), 1/w)", "w": "-2*(X.T @ (X @ (1/w)))/w**2"},
    "sum(X - X) X:3,3": {"X": "zeros((3, 3))"},
    "sum(sum(X, dim=0)**2) X:3,3": {"X": "expand(2*sum(X, dim=0), (3, 3))"},
    "sum((t1 - t1) @ P) t1:3,3 P:3,2": {"t1": "zeros((3, 3))", "P": "zeros((3, 2))"},
}


def words(line: str) -> list[str]:
    """Split a line into the program and what comes behind it: shapes and options."""
    program, *rest = re.split(r" (?=--|\w+:)", line)
    return [program, *(word for part in rest for word in part.split())]


@pytest.mark.parametrize("line", SYMBOLIC)
def test_formulas_without_values(capsys: pytest.CaptureFixture[str], line: str) -> None:
    result = gradcli(capsys, ["grad", "--symbolic", *words(line)])
    assert dict(row.split("\t") for row in result.out.splitlines()) == SYMBOLIC[line], result.err
    notes = "x is taken for a number here; for a vector write x:n" if line == "mean(x**2)" else ""
    assert notes in result.err


VALUES: dict[tuple[str, ...], str] = {
    ("y = sum(x*[1,2])", "x=[1,2]"): "∂y/∂x = [1, 2]",
    ("binary_cross_entropy_with_logits(z, 1)", "z=1"): "∂v1/∂z = sigmoid(z) - 1  = -0.268941",
    ("atan2(y, 1)*y", "y=1"): "∂v2/∂y = atan2(y, 1) + y/(y**2 + 1)  = 1.2854",
    ("x*3**1000000000.5", "x=1"): "∂v1/∂x = 3**1000000000.5  = inf\nNotes\n  3**1000000000.5 is infinite\n",
    ("sum(reshape(A.T, (4, 1)))", "A=[[1,2],[3,4]]"): "∂v3/∂A = 1 in each entry  = [[1, 1], [1, 1]]",
    ("asin(3*y**0)", "y=1"): "∂v3/∂y = 0, for y**0 has the derivative 0",
    ("mean(0.5*floor(x))", "x=1.5"): "∂v3/∂x = 0, for floor(x) has the derivative 0",
}


@pytest.mark.parametrize("arguments", VALUES, ids=str)
def test_gradients_at_a_point(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    out = gradcli(capsys, ["eval", *arguments]).out.replace("·", "*")
    assert VALUES[arguments] in out


@pytest.mark.parametrize("arguments", [("x[::2].mean()", "x:n"), ("mean(x[::2])", "x:n")], ids=str)
def test_sizes_that_are_no_sum_are_refused(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]) -> None:
    result = gradcli(capsys, ["grad", "--symbolic", *arguments])
    assert result.code == 3
    assert "depends on the sizes" in result.err
