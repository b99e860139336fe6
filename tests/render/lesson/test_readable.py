"""Formulas for the eye: signs of products, gates, copies."""

from __future__ import annotations

import re

import pytest

from gradcli.language.parser import parse_expression
from gradcli.language.unparser import unparse
from gradcli.render.lesson.page import page
from gradcli.render.lesson.readable import bare, each_part, readable
from gradcli.render.text.looks import Looks
from gradcli.source import Source
from tests.render.programs import explained

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
PARTS = {
    "expand(x, (3,))": "x in each entry",
    "expand(x, (3,))/3": "x/3 in each entry",
    "-expand(x/2, (3,))": "-(x/2) in each entry",
    "2*expand(x, (3,))": "2*x in each entry",
    "expand(v, (2, 3))/2": "v/2 in each row",
    "expand(unsqueeze(v, 0), (2, 3))": "v in each row",
    "expand(unsqueeze(v, 1), (2, 3))": "v along each row",
    "expand(unsqueeze(v/3, -1), (2, 3))": "v/3 along each row",
    "expand(1/A, (2, 3))": "1/A copied to the full shape",
    "expand(x, (3,))*v": "expand(x, (3,))*v",
}


@pytest.mark.parametrize(("text", "written"), WRITTEN.items())
def test_formulas_for_the_eye(text: str, written: str) -> None:
    assert unparse(readable(parse_expression(Source(text)), RANKS), multiply="·") == written


def test_what_somebody_typed_keeps_its_functions() -> None:
    tree = parse_expression(Source("where(v > 0, v*w, 0)"))
    assert unparse(readable(tree, RANKS, is_typed=True)) == "where(v > 0, v ⊙ w, 0)"


@pytest.mark.parametrize(("text", "written"), PARTS.items())
def test_what_each_entry_or_row_gets(text: str, written: str) -> None:
    part, where = each_part(parse_expression(Source(text)), RANKS)
    assert f"{unparse(part)}{where}" == written
    assert bare(written) == unparse(part)


def test_no_rule_on_a_page_is_told_by_copies() -> None:
    program = "s = X @ W; e = exp(s); p = e/sum(e, dim=1, keepdim=True); loss = -mean(sum(Y*log(p), dim=1))"
    point = {"X": [[1, 0.5], [-0.5, 2]], "W": [[0.2, -0.1, 0.4], [0.3, 0.8, -0.5]], "Y": [[1, 0, 0], [0, 0, 1]]}
    told = page(explained(program, point), Looks(), all=True)
    assert "each row gets its entry of g" in told
    assert not re.search(r"expand|unsqueeze", told)
