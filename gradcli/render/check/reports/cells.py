"""Rows of CSV for spreadsheets, in which no text from outside is a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

from gradcli.render.check.marking import SENTENCE, clipped

# A spreadsheet runs a cell that begins so; where the semicolon separates cells, one begins inside ours.
FORMULA = re.compile(r'(^|;)(?=[\s"]*[=+\-@＝＋－＠])')
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")  # no formula, though it may begin with a sign


def line(texts: Iterable[str], numbers: Iterable[str] = ()) -> str:
    """Write one row of CSV."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow([*map(harmless, texts), *numbers])
    return stream.getvalue()


def harmless(text: str) -> str:
    """Write a text so that no spreadsheet takes it or a part of it for a formula: with an apostrophe before it."""
    return FORMULA.sub(r"\1'", clipped(text, SENTENCE))


def typed(text: str) -> str:
    """Write an answer as it was typed: a number stays one, any other text is harmless."""
    return text if NUMBER.fullmatch(text) else harmless(text)
