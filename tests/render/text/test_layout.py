"""Every page fits every terminal from 40 to 200 columns, and says there what it says where nothing limits it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from gradcli.errors import GradcliError
from gradcli.explanation.chain.links import trace
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation, Gradients
from gradcli.explanation.reference import explain_example, operations, references
from gradcli.explanation.verify import verify
from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.lint.lint import findings
from gradcli.homework.model import Result
from gradcli.homework.totals import ClassTotals
from gradcli.language.parser import parse_program
from gradcli.render.check.key import lint_text, worked
from gradcli.render.check.page import check_page
from gradcli.render.check.table import check_table
from gradcli.render.graph.tree import tree
from gradcli.render.lesson.gradients import formulas, gradients
from gradcli.render.lesson.operations import operation_page
from gradcli.render.lesson.page import page
from gradcli.render.lesson.trace import trace_page
from gradcli.render.lesson.verification import verification_page
from gradcli.render.run.timeline import timeline_page
from gradcli.render.text.error import full
from gradcli.render.text.looks import Looks
from gradcli.source import Source, visible
from tests.homework.results import ASSIGNMENT, CLASS, results
from tests.language.test_syntax_errors import FILES, unescaped
from tests.programs import initial, of_every
from tests.render.programs import CASES, explained
from tests.render.text.laws import WIDTHS, aligned, columns, fits, keeps_tokens, whole
from tests.render.text.wide_programs import PROGRAMS
from tests.script.record_snippets import shortened
from tests.script.running import recorded

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
SNIPPETS = [
    *sorted((ROOT / "samples/snippets").glob("*.py")),
    *sorted((ROOT / "tests/script/snippets").glob("*.py"))[::40],
]
OPERATIONS = operations()
OWN_NAMES = [name for name, one in OPERATIONS.items() if one.name == name]
COURSES = sorted((ROOT / "samples" / "homework").glob("*.toml"))


@pytest.fixture(autouse=True)
def columns_align(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with aligned(monkeypatch), np.errstate(all="ignore"):
        yield


def widths(of: object, count: int = 2) -> list[int]:
    """Some widths for a case: the narrowest, and others that are the same whenever it is tested."""
    start = sum(str(of).encode())
    return [40, *(WIDTHS[(start + 53 * n) % len(WIDTHS)] for n in range(1, count))]


def check_explanation(explanation: Explanation, *widths: int) -> None:
    def derivations(looks: Looks) -> str:
        return trace_page(explanation, [trace(explanation, leaf.name, 3) for leaf in explanation.leaves], looks)

    for precision, ascii in ((6, False), (17, True)):
        for shown in (partial(page, explanation, why=ascii), derivations):
            fits(shown, *widths, precision=precision, ascii=ascii)
    numbers = Gradients(explanation.value, {leaf.name: leaf.gradient for leaf in explanation.leaves})
    for listed in (partial(gradients, numbers), partial(formulas, explanation)):
        fits(listed, *widths)
    keeps_tokens(partial(tree, explanation), *widths)


@of_every(PROGRAMS, initial, 32)
def test_pages_on_programs(program: str) -> None:
    check_explanation(simplified(explain_example(program)), *widths(program))


@of_every(PROGRAMS, initial, 64)
def test_pages_of_verifications(program: str) -> None:
    upstream = explain_example(program).upstream
    verified = verify(parse_program(Source(program)), {}, upstream=upstream)
    keeps_tokens(partial(verification_page, verified), *widths(program))


@pytest.mark.parametrize("name", CASES)
def test_pages_on_values(name: str) -> None:
    check_explanation(CASES[name].explain(), *widths(name, 3))


@pytest.mark.parametrize("name", CASES)
def test_colour_changes_no_page_and_ends_with_its_line(name: str) -> None:
    """So that `less -R` shows any part of it as it is."""
    explanation = CASES[name].explain()
    for width in (None, 40, 80):
        plain, coloured = (page(explanation, Looks(width=width, color=color)) for color in (False, True))
        assert Text.from_ansi(coloured).plain == plain
        for line in coloured.splitlines():
            assert line.rpartition("\x1b[")[2].startswith("0m") or "\x1b" not in line


@pytest.mark.parametrize("ascii", [False, True])
def test_matrices_stand_whole_on_pages(ascii: bool) -> None:
    """In rows below each other, in a terminal of any usual width and in a file."""
    given = np.arange(1, 37).reshape(6, 6) / -7
    explanation = explained("loss = sum(A*A)", {"A": given})
    for width in (None, 80, 140):
        looks = Looks(width=width, ascii=ascii)
        for text in (page(explanation, looks), trace_page(explanation, [trace(explanation, "A", 3)], looks)):
            lines = text.splitlines()
            for entries in given * 2:
                numbers = r",\s+".join(re.escape(f"{entry:.6g}") for entry in entries)
                assert any(re.search(numbers, line) for line in lines), numbers


@of_every(OWN_NAMES, lambda name: OPERATIONS[name].family[0], 32)
def test_pages_of_operations(name: str) -> None:
    (reference,) = references([name])
    fits(partial(operation_page, reference), *widths(name))


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda path: path.stem)
def test_runs(snippet: Path) -> None:
    found = recorded(shortened(snippet.read_text(encoding="utf-8")))
    fits(partial(timeline_page, replace(found, training=())), *widths(snippet.name))
    for width in widths(snippet.name):
        assert columns(timeline_page(found, Looks(width=width))) <= width  # tables and curves depend on it


@pytest.mark.parametrize("file", COURSES, ids=lambda path: path.stem)
def test_keys_and_findings(file: Path) -> None:
    assignment = read_assignment(Source(file.read_text(encoding="utf-8"), file.name))
    grader, found = Grader(assignment), list(findings(assignment))
    fits(lambda looks: "\n".join(worked(grader, looks, all=True)), *widths(file.name, 4))
    fits(partial(lint_text, assignment, found), *widths(file.name, 4))


@settings(max_examples=10, deadline=None)
@given(st.lists(results(), max_size=4), st.sampled_from(WIDTHS))
def test_marked_homework(members: list[Result], width: int) -> None:
    totals = ClassTotals(ASSIGNMENT)
    for result in [*CLASS, *members]:
        totals.add(result)
        fits(partial(check_page, result, assignment=ASSIGNMENT), width)
    fits(partial(check_table, totals), width)


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_errors(file: Path) -> None:
    """Each fits, its carets stand under the part that they point at, and its numbers and names are whole."""
    for text in re.findall(r"^>>> (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE):
        for program in (unescaped(text), f"{'long_name + ' * 20}{unescaped(text)}{' + 1.2345678' * 20}"):
            try:
                parse_program(Source(program))
            except GradcliError as error:
                for width in widths(program, 3):
                    check_error(error, width)


def check_error(error: GradcliError, width: int) -> None:
    shown, free = full(error, width), "\n".join(full(error))
    assert columns("\n".join(shown)) <= width
    assert whole("\n".join(shown), free, width).keys() <= whole(free, free, width).keys()
    assert error.span is not None
    assert error.source is not None
    text, carets = next(pair for pair in pairwise(shown) if re.fullmatch(r" +\| +\^+( .*)?| +\| \^+( .*)?", pair[1]))
    pointed = error.source.text[slice(*error.span)].partition("\n")[0]
    start = carets.index("^")
    assert beneath(text, start).startswith(visible(pointed)[:1])


def beneath(text: str, column: int) -> str:
    """Return the part of a line that begins at a column."""
    return next(text[place:] for place in range(len(text) + 1) if cell_len(text[:place]) >= column)
