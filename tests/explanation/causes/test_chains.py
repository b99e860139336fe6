"""Gradients that vanish or explode along a chain, and where."""

from __future__ import annotations

from gradcli.explanation.build import explain
from gradcli.explanation.model import Note
from gradcli.language.parser import parse_program
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
