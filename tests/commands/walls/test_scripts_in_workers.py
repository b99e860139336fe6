"""Scripts of assignments are strangers': whatever a command does with one, it does in a process within limits."""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from gradcli.commands.forms import FOLDER, HANDOUT, KEY, LINT, forms
from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.solve.snippets import SnippetSolution
from gradcli.render.check.reports.registry import QUESTIONS, REPORTS
from gradcli.source import Source
from gradcli.workers import confinement
from tests.commands import running
from tests.commands.served import served
from tests.programs import some
from tests.test_layers import LEVEL, layer, module_of, nodes, trees

WEEK = """\
title = "A script"
[[question]]
id = "q"
script = {script}
ask = ["a.grad"]
"""
VARYING = "[question.at]\nstart = { choose = [1.25, 2.5, 3.75] }\n"
SCRIPT = "import torch\nstart = 2.5\na = torch.tensor(start, requires_grad=True)\n((a * 1.5) ** 2).backward()\n"
ENDLESS = SCRIPT + "('a' * 2**20).rfind('ab' + 'a' * 2**19)\n"
LIMIT = ["--item-timeout", "0.3"]


def command_lines() -> Iterator[tuple[str, list[str]]]:
    """Every way to have a script of an assignment computed, by the assignment that it is for."""
    for form in forms(LINT):
        yield "week", ["check", "--lint", "week.toml", "--format", form]
    for form in forms(KEY):
        yield "week", ["check", "--key", "week.toml", "--format", form]
        sheets = ["--variants", "variants.json", "-o", "keys/"]
        yield "varied", ["check", "--key", "varied.toml", *sheets, "--format", form]
    for form in forms(HANDOUT):
        course = ["--roster", "roster.csv", "--secret-file", "secret", "-o", "sheets/"]
        yield "varied", ["check", "--handout", "varied.toml", *course, "--format", form]
    for form in forms(FOLDER):
        yield "week", ["check", "week.toml", "ada.txt", "--format", form, "-o", "feedback/"]
    for name in QUESTIONS:
        for week in ("week", "varied"):
            yield week, ["check", f"{week}.toml", "--report", name]
    for name in REPORTS:
        yield "week", ["check", "week.toml", "ada.txt", "--report", name]
    for more in ([], ["--json"], ["--all"], ["--jobs", "2"], ["--reveal", "rule"]):
        yield "week", ["check", "week.toml", "ada.txt", *more]
    for more in ([], ["--json"]):
        yield "week", ["practice", "week.toml", *more]
        yield "varied", ["practice", "varied.toml", *more]
    yield "week", ["practice", "week.toml", "-o", "page.html"]


def prepared(folder: Path, script: str) -> None:
    """Put two assignments, with one sheet handed out, a class of one and all else into a folder."""
    (folder / "week.toml").write_text(WEEK.format(script=json.dumps(script)), encoding="utf-8")
    text = WEEK.format(script=json.dumps(script)) + VARYING
    (folder / "varied.toml").write_text(text, encoding="utf-8")
    (folder / "ada.txt").write_text("[q]\na.grad = 1\n", encoding="utf-8")
    (folder / "roster.csv").write_text("id,name,email\nada,Ada,ada@example.org\n", encoding="utf-8")
    (folder / "secret").write_text("0123456789abcdef", encoding="utf-8")
    about = {"title": "A script", "file": "varied.toml", "questions": ["q"]}
    sheets = [{"student": "ada", "values": {"q": {"start": 2.5}}}]
    record = {"schema": "gradcli.variants/1", "ok": True, "assignment": about, "students": sheets}
    (folder / "variants.json").write_text(json.dumps(record), encoding="utf-8")


def started(folder: Path, arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    typed = '{"answer": "1"}\n' if "--json" in arguments else "1\n"
    return subprocess.run(
        [*served(), *arguments], cwd=folder, input=typed, capture_output=True, text=True, check=False, timeout=60
    )


LINES = [line for _, line in command_lines()]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", some(LINES, 12), ids=" ".join)
def test_no_command_runs_a_script_without_walls(tmp_path: Path, arguments: list[str]) -> None:
    """A script that meets none is a bug, and ends the command as one."""
    prepared(tmp_path, SCRIPT)
    done = started(tmp_path, arguments)
    assert done.returncode in (0, 1), done.stderr
    assert "error" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("arguments", some(LINES, 12), ids=" ".join)
def test_a_script_without_end_is_ended(tmp_path: Path, arguments: list[str]) -> None:
    prepared(tmp_path, ENDLESS)
    done = started(tmp_path, [*arguments, *LIMIT])
    assert done.returncode in (1, 2), done.stderr
    told = done.stdout + done.stderr
    assert "0.3 s" in told or "too long" in told
    assert not list(tmp_path.glob("*/*.part"))
    if "--report" in arguments:
        assert done.stdout == "", "no part of a document"


def test_a_page_of_exercises_is_made_within_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prepared(tmp_path, ENDLESS)
    found = running.gradcli(capsys, ["practice", "week.toml", "-o", "page.html", *LIMIT])
    assert found.code == 2
    assert "more than 0.3 s" in found.err
    assert not (tmp_path / "page.html").exists()


INTERPRETER = ("script.interpreter", "run")
WALLS = {"in_worker", "map_items", "begin"}  # what gives work to a process within limits, or makes this one such
HOLDS = """\
commands.comparing compare
commands.course.handout draw_sheets
commands.course.handout print_key
commands.course.handout print_lint
commands.course.marking write_feedback
commands.inputs.snippets last_pass
commands.practice practise
commands.practice write_page
commands.run Page
commands.why examine
homework.grading graded
render.check.reports.writing write_questions
"""
HELD = """\
commands.course.handout Drawing
commands.course.handout key_of
commands.course.handout lint_of
commands.practice command
commands.why command
commands.why write
"""  # work that those above give to a process, and what makes it ready
BELOW = ("script", "findings", "homework", "render")  # which work for commands
IN_PROCESS = "notebook grade\n"  # calls of a library, which has no walls


def units() -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """The functions and classes of the modules that may import the interpreter."""
    for module, tree in trees().items():
        if LEVEL[layer(module)] >= LEVEL["script"]:
            yield from ((module, node) for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef))


@cache
def imported_into(module: str) -> dict[str, tuple[str, str]]:
    """The names that a module imports, each with the module that it is from."""
    return {
        alias.asname or alias.name: (source, alias.name)
        for one in nodes()[module]
        if isinstance(one, ast.ImportFrom) and one.module and (source := module_of(one.module))
        for alias in one.names
    }


def mentioned(module: str, node: ast.AST) -> set[tuple[str, str]]:
    """The names in a part of a module, each with the module that it is from."""
    imported = imported_into(module)
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    return {imported.get(name, (module, name)) for name in names}


def holds(node: ast.AST) -> bool:
    """Whether a function puts walls around work."""
    functions = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    return any(getattr(one, "id", getattr(one, "attr", "")) in WALLS for one in functions)


def test_every_caller_of_the_interpreter_is_known() -> None:
    """What calls it, or what calls that, up to the walls; a new caller among the commands needs some, and a line."""
    all_mentioned = {(module, node.name): mentioned(module, node) for module, node in units()}
    with_walls = {(module, node.name) for module, node in units() if holds(node)}
    calling, new = set[tuple[str, str]](), {INTERPRETER}
    while new:
        calling |= new
        reach = calling - with_walls
        new = {unit for unit, names in all_mentioned.items() if names & reach} - calling
    held = {unit for unit in calling & with_walls if unit[0].partition(".")[0] not in ("script",)}
    assert {" ".join(unit) for unit in held} == set(HOLDS.splitlines()), "these put walls around scripts"
    above = {unit for unit in calling - with_walls if unit[0].partition(".")[0] not in BELOW}
    assert {" ".join(unit) for unit in above} == {*HELD.splitlines(), *IN_PROCESS.splitlines()}, "these have none"


def test_a_script_without_walls_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    (question,) = read_assignment(Source(WEEK.format(script=json.dumps(SCRIPT)), "week.toml")).questions
    SnippetSolution(question)
    monkeypatch.setitem(confinement._walls, "needed", True)
    with pytest.raises(confinement.UnwalledError, match="without limits"):
        SnippetSolution(question)
