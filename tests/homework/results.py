"""Results as grading would find them: one class by hand, and hostile ones at random."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.mistakes.catalogue import TITLES
from gradcli.homework.model import ENDINGS, VERDICTS, Branch, Diagnosis, Marked, Result
from gradcli.source import Source

ASSIGNMENT = read_assignment(
    Source(
        """\
title = "Backpropagation, week 1"
[[question]]
id = "diamond"
text = "Differentiate q = (x^2 + 1)(x^2 - 1) at x = 2 by hand.\\nUse paper."
program = "s = x**2; p = s + 1; m = s - 1; q = p*m"
at.x = 2
ask = ["s", "dq/ds", "local ds/dx", { quantity = "dq/dx", points = 3 }]
[[question]]
id = "chain"
program = "z = sum(w*W)"
ask = ["dz/dW", "w.grad", "w"]
""",
        "week1.toml",
    )
)
BRANCH = Diagnosis(
    "fanout-overwrite",
    "s",
    "∂q/∂p·∂p/∂s",
    "you kept the branch through p; s also feeds m",
    "which adds 5",
    np.float64(5.0),
    True,
)
LOCAL = Diagnosis("local-not-total", "q", "p", "you gave the local derivative", "", np.float64(5.0), False)
LEDGER = (Branch(("q", "p", "s"), np.float64(3.0), False), Branch(("q", "m", "s"), np.float64(5.0), True))
PERFECT = Result(
    "class/bob.txt",
    "bob",
    (
        Marked("diamond", "s", "4", np.float64(4.0), "correct", 1.0, 1.0),
        Marked("diamond", "dq/ds", "8", np.float64(8.0), "correct", 1.0, 1.0),
    ),
)
PARTLY = Result(
    "class/ada.txt",
    "ada",
    (
        Marked("diamond", "s", "4", np.float64(4.0), "correct", 1.0, 1.0),
        Marked("diamond", "dq/ds", "5", np.float64(8.0), "wrong", 0.0, 1.0, "", (BRANCH, LOCAL), LEDGER),
        Marked("diamond", "local ds/dx", "20", np.float64(4.0), "carried", 1.0, 1.0, "from your dq/ds = 5"),
        Marked("diamond", "dq/dx", "4*x^2", "4·x**3", "wrong", 0.0, 3.0, "at x = 2.37 yours is 22.4676"),
        Marked("chain", "dz/dW", "[[1,2],[3,4]]", np.arange(6.0).reshape(2, 3), "shape", 0.0, 1.0),
        Marked("chain", "w.grad", None, None, "missing", 0.0, 1.0),
        Marked("chain", "w", "0.33", np.float64(1 / 3), "precision", 0.5, 1.0),
    ),
)
HOSTILE = Result(
    "class/\x1b[31m.txt",
    "\u202eeve ]]><script>\x00\ud800",
    (
        Marked("diamond", "s", "__import__('os')\x1b[2J", np.float64(4.0), "unreadable", 0.0, 1.0, "[red]no[/red]\n"),
        Marked("diamond", "dq/ds", "9" * 400, np.float64(8.0), "wrong", 0.0, 1.0),
        Marked("nowhere]]>", "=1+1", "x" * 1_000_000, np.bool_(True), "unreadable", 0.0, 0.0),
    ),
    ("there is no question 'nowhere]]>'",),
)
CLASS = (PERFECT, PARTLY, HOSTILE)
ENDED = Marked(
    "diamond", "dq/ds", "9**9", np.float64(8.0), "unreadable", 0.0, 1.0, ENDINGS["time"], (), (), reason="time"
)

NASTY = ("\x1b[31m", "\x9b", "\x00", "\ud800", "\u202e", "\u2028", "\ufffe", "]]>", "<script>", "[red]x[/red]", "\r\n")
NASTY += ("=1+1", "@x", ";=1", "&amp;", '"', "'", "\t", "9" * 400, "界" * 40, "é", ":smile:", "{{ 1 }}", "\\", "%s", "")


def texts() -> st.SearchStrategy[str]:
    """Texts that act on terminals, in markup, in spreadsheets; and any others."""
    return st.lists(st.sampled_from(NASTY) | st.text(max_size=8), max_size=4).map("".join)


def values() -> st.SearchStrategy[Any]:
    floats = st.floats() | st.integers(-99, 99).map(float)
    arrays = st.lists(floats, max_size=4).map(np.array) | st.just(np.ones((3, 4), np.float32))
    whole = st.integers(-5, 5).map(np.int64)
    return st.none() | st.booleans() | floats.map(np.float64) | arrays | whole | texts() | st.just(np.bool_(False))


def diagnoses() -> st.SearchStrategy[Diagnosis]:
    codes = st.sampled_from([*TITLES, "sign + mean-n"])
    return st.builds(Diagnosis, codes, texts(), texts(), texts(), texts(), values(), st.booleans())


def branches() -> st.SearchStrategy[Branch]:
    return st.builds(Branch, st.lists(texts(), min_size=1, max_size=12).map(tuple), values(), st.booleans())


def reasons() -> st.SearchStrategy[str | None]:
    return st.none() | st.sampled_from(list(ENDINGS))


def answers() -> st.SearchStrategy[Marked]:
    return st.builds(
        Marked,
        st.sampled_from(["diamond", "chain"]) | texts(),
        st.sampled_from(["s", "dq/ds", "w"]) | texts(),
        st.none() | texts(),
        values(),
        st.sampled_from(list(VERDICTS)),
        st.sampled_from([0.0, 0.5, 1.0, 1 / 3]),
        st.sampled_from([1.0, 2.0]),
        texts(),
        st.lists(diagnoses(), max_size=4).map(tuple),
        st.lists(branches(), max_size=4).map(tuple),
    ) | st.builds(replace, st.just(ENDED), quantity=texts(), given=texts(), reason=st.sampled_from(list(ENDINGS)))


def results() -> st.SearchStrategy[Result]:
    marked, remarks = st.lists(answers(), max_size=4).map(tuple), st.lists(texts(), max_size=3).map(tuple)
    graded = st.builds(Result, texts(), texts(), marked, remarks)
    whole = texts().map(lambda text: text or "it is empty")
    return graded | st.builds(unread, texts(), texts(), whole, reasons())


def unread(file: str, student: str, why: str, reason: str | None) -> Result:
    """A submission of which nothing could be graded."""
    return Result(file, student, (replace(ENDED, reason=None),), (why,), why, reason)
