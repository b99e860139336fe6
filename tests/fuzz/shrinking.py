"""Shrinking: a case made smaller part by part, as long as it shows the same fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from tests.fuzz.case import Case
from tests.fuzz.simpler import versions

TRIES = 3000
PIECES = (re.compile(r"[^\n]*\n|[^\n]+"), re.compile(r"\w+|\s+|[^\w\s]"), re.compile(r"[\s\S]"))

Fails = Callable[[Case], bool]
Part = TypeVar("Part")


def shrunk(case: Case, fails: Fails, tries: int = TRIES) -> Case:
    """Return the smallest case found that still fails; it may be the case itself."""
    counted = _Counted(fails, tries)
    before = None
    while case != before and counted.left > 0:
        before = case
        case = _with_fewer_arguments(case, counted)
        case = _with_fewer_files(case, counted)
        case = _with_shorter_texts(case, counted)
    return case


class _Counted:
    """A test that says no when its tries are used up."""

    def __init__(self, fails: Fails, tries: int) -> None:
        self.fails, self.left = fails, tries

    def __call__(self, case: Case) -> bool:
        self.left -= 1
        return self.left >= 0 and self.fails(case)


def _with_fewer_arguments(case: Case, fails: Fails) -> Case:
    first, *rest = case.argv
    kept = fewer(rest, lambda parts: fails(replace(case, argv=(first, *parts))))
    return replace(case, argv=(first, *kept))


def _with_fewer_files(case: Case, fails: Fails) -> Case:
    kept = fewer(case.files, lambda parts: fails(replace(case, files=tuple(parts))))
    smaller = replace(case, files=tuple(kept))
    alone = replace(smaller, columns=0)
    return alone if smaller.columns and fails(alone) else smaller


def _with_shorter_texts(case: Case, fails: Fails) -> Case:
    for place, argument in enumerate(case.argv):
        if place:
            case = _shorter(
                argument, lambda text, case=case, place=place: _with_argument(case, place, text), case, fails
            )
    for place, (name, content) in enumerate(case.files):
        if name.endswith(".py"):
            case = _with_simpler_snippet(case, place, name, fails)
            content = case.files[place][1]
        case = _shorter(
            content.decode("latin-1"),
            lambda text, case=case, place=place, name=name: _with_file(case, place, name, text),
            case,
            fails,
        )
    return _shorter(case.stdin.decode("latin-1"), lambda text: replace(case, stdin=text.encode("latin-1")), case, fails)


def _with_simpler_snippet(case: Case, place: int, name: str, fails: Fails) -> Case:
    """Make a snippet simpler step by step, each time from its beginning."""
    found: Case | None = case
    while found is not None:
        case, text = found, found.files[place][1].decode(errors="replace")
        tries = (
            _with_file(case, place, name, one.encode("utf-8", "replace").decode("latin-1")) for one in versions(text)
        )
        found = next(
            (one for one in tries if len(one.files[place][1]) < len(text.encode()) + 1 and one != case and fails(one)),
            None,
        )
    return case


def _with_argument(case: Case, place: int, text: str) -> Case:
    return replace(case, argv=(*case.argv[:place], text, *case.argv[place + 1 :]))


def _with_file(case: Case, place: int, name: str, text: str) -> Case:
    return replace(case, files=(*case.files[:place], (name, text.encode("latin-1")), *case.files[place + 1 :]))


def _shorter(text: str, made: Callable[[str], Case], case: Case, fails: Fails) -> Case:
    """Shorten a text by lines, then by words, then by characters."""
    for pieces in PIECES:
        kept = fewer(pieces.findall(text), lambda parts: fails(made("".join(parts))))
        if len("".join(kept)) < len(text):
            text = "".join(kept)
            case = made(text)
    return case


def fewer(parts: Sequence[Part], fails: Callable[[list[Part]], bool]) -> list[Part]:
    """Return the parts without those that can go: halves first, then quarters, down to single ones."""
    kept, size = list(parts), max(1, len(parts) // 2)
    while kept:
        start = 0
        while start < len(kept):
            smaller = kept[:start] + kept[start + size :]
            if fails(smaller):
                kept = smaller
            else:
                start += size
        if size == 1:
            return kept
        size //= 2
    return kept
