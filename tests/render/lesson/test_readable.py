"""Formulas for the eye: signs of products, gates, copies."""

from __future__ import annotations

import pytest

from gradcli.language.parser import parse_expression
from gradcli.language.unparser import unparse
from gradcli.render.lesson.readable import each_entry, readable
from gradcli.source import Source

RANKS = {"x": 0, "v": 1, "w": 1, "A": 2, "B": 2}
WRITTEN = {
    "x*x": "x·x",
    "x*v": "x·v",
    "v*w": "v ⊙ w",
    "2*v*w": "2·v ⊙ w",
    "A @ B*A": "(A @ B) ⊙ A",
    "sum(v)*w": "sum(v)·w",
    "v @ w*w": "(v @ w)·w",
    "exp(v)*w.T": "exp(v) ⊙ w.T",
    "where(v > 0, 1, 0)": "[v > 0]",
    "where(v > 0, w, 0)": "w ⊙ [v > 0]",
    "where(x > 0, x, 0)": "x·[x > 0]",
    "where(v > 0, w, v)": "where(v > 0, w, v)",
    "where(A > 0, (B @ A)/2, 0) @ B": "((B @ A)/2 ⊙ [A > 0]) @ B",
    "expand(x, (3,))*v": "x·v",
    "unknown(v)*v": "unknown(v)·v",
    "v*(w - sum(v*w, dim=0, keepdim=True))": "v ⊙ (w - sum(v ⊙ w, dim=0, keepdim=True))",
    "sum(A, dim=0)*v": "sum(A, dim=0) ⊙ v",
    "sum(v, dim=0)*v": "sum(v, dim=0)·v",
}
ENTRIES = {
    "expand(x, (3,))": "x",
    "expand(x, (3,))/3": "x/3",
    "-expand(x/2, (3,))": "-(x/2)",
    "2*expand(x, (3,))": "2*x",
    "expand(v, (2, 3))": None,
    "expand(x, (3,))*v": None,
}


@pytest.mark.parametrize(("text", "written"), WRITTEN.items())
def test_formulas_for_the_eye(text: str, written: str) -> None:
    assert unparse(readable(parse_expression(Source(text)), RANKS), multiply="·") == written


def test_what_somebody_typed_keeps_its_functions() -> None:
    tree = parse_expression(Source("where(v > 0, v*w, 0)"))
    assert unparse(readable(tree, RANKS, is_typed=True)) == "where(v > 0, v ⊙ w, 0)"


@pytest.mark.parametrize(("text", "entry"), ENTRIES.items())
def test_each_entry_gets(text: str, entry: str | None) -> None:
    found = each_entry(parse_expression(Source(text)), RANKS)
    assert (None if found is None else unparse(found)) == entry
