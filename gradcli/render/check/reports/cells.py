"""Texts for other tools: names of files, and rows of CSV in which no text from outside is a formula."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from hashlib import sha256
from unicodedata import category, normalize

from gradcli.homework.submission.names import identity
from gradcli.render.check.marking import SENTENCE, clipped

LONGEST = 200  # bytes of a name
SHOWN = 40  # characters of a student's name that stand before a digest
BESIDE = frozenset(" -_.,@+")  # what a plain name may have between letters and digits
DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d) *(\..*)?", re.IGNORECASE)  # no files on Windows


def file_name(student: str, suffix: str) -> str:
    """Return the name of a file about a student; two share one only where `identity` says that they are one.

    That holds also where a file system ignores case, or takes characters for one that Unicode calls compatible (NFKC).
    A plain name stays as it is. Of any other the letters stand before a digest; no plain name looks like that, for none
    has a `~`.
    """
    name = " ".join(normalize("NFC", "".join(c for c in student if category(c) != "Cf")).split())
    if is_plain(name) and len((name + suffix).encode()) <= LONGEST:
        return name + suffix
    letters = "".join(c if c.isalnum() else "_" for c in name[:SHOWN]).strip("_") or "_"
    digest = sha256(identity(student).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{letters}~{digest[:32]}{suffix}"


def is_plain(name: str) -> bool:
    """Return whether a name can be a file's, and no file system can take it for the name of another student."""
    if DEVICES.fullmatch(name) or not (name[:1].isalnum() or name[:1] == "_"):
        return False
    if not all(c.isalnum() or c in BESIDE or category(c)[0] == "M" for c in name):
        return False
    return normalize("NFKC", normalize("NFKC", name).casefold()) == identity(name)


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
