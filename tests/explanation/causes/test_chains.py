"""Gradients that vanish or explode along a chain, and where."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradcli.explanation.build import explain
from gradcli.explanation.causes.chains import strongest
from gradcli.explanation.model import Note, Step
from gradcli.language.parser import parse_program
from gradcli.language.tree import Number
from gradcli.source import Source


def noted(program: str, **values: float) -> list[Note]:
    notes = explain(parse_program(Source(program)), values).notes
    return [note for note in notes if note.code in ("vanished", "exploded")]


def chain(step: str, length: int) -> str:
    return "; ".join(["h0 = x", *(f"h{n + 1} = {step.format(f'h{n}')}" for n in range(length))])


def test_where_a_gradient_vanishes() -> None:
    (note,) = noted(chain("0.1*{}", 8), x=1)
    assert (note.code, note.node) == ("vanished", "h4")  # four factors of a tenth
    assert "at h4 it falls below 0.001 of that at the output, and 1e-08 of it arrives" in note.message


def test_where_a_gradient_explodes() -> None:
    (note,) = noted(chain("10*{}", 8), x=1)
    assert (note.code, note.node) == ("exploded", "h4")
    assert "at h4 it rises above 1000 times that at the output, and 1e+08 times that arrives" in note.message


def test_one_small_factor_is_no_chain() -> None:
    assert noted(chain("1e-9*{}", 1), x=1) == []
    assert noted(f"{chain('1*{}', 8)}; 1e-9*h8", x=1) == []


def test_sharing_out_a_mean_is_not_vanishing() -> None:
    assert noted("mean(2*(3*(0.5*(1.5*(x + zeros(5000))))))", x=1) == []


def test_nan_is_no_strong_gradient() -> None:
    """A mask cuts it off, so the chain goes through other steps, or through this one where there is no other."""
    step = Step("z", "h", np.nan, Number(1), np.array([1.0, np.nan]), (), np.nan)
    assert strongest([step]) == {"h": "z"}
    assert strongest([step, replace(step, node="y", contribution=np.array([1.0, 0.0]))]) == {"h": "y"}
