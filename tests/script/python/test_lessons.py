"""Lessons in plain Python around torch, against Python: each prints the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.script.agreement import agree

PARTS = re.split(r"^# ---- (.*)\n", Path(__file__).with_name("lessons.txt").read_text("utf-8"), flags=re.MULTILINE)
LESSONS = dict(zip(PARTS[1::2], PARTS[2::2], strict=True))
HEAD = """import torch
from torch import nn
def t(f):
    try:
        print("ok", f())
    except Exception as e:
        print(type(e).__name__, e)
"""


@pytest.mark.parametrize("name", LESSONS)
def test_lesson(name: str) -> None:
    agree(HEAD + LESSONS[name])
