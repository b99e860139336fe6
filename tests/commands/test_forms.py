"""The forms of the output, generic over their registry: on standard output, in files, and what is refused."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import unquote

import pytest

from gradcli.commands.forms import COMPARISON, FOLDER, FORMS, HANDOUT, INDEX, KEY, TEXTS, chosen, forms
from gradcli.errors import UsageError
from tests.commands.running import ROOT, Result, gradcli
from tests.commands.served import served
from tests.programs import some

SNIPPET = "import torch\nx = torch.tensor(3.0, requires_grad=True)\ny = x * x\ny.backward()\nprint(x.grad)\n"
ASKED = {
    "eval": ["eval", "z=x*y", "x=2", "y=3"],
    "trace": ["trace", "z=x*y", "x=2", "y=3"],
    "graph": ["graph", "z=x*y", "x=2", "y=3"],
    "run": ["run", "snippet.py"],
    "why": ["why", "abs(x)", "x=0"],
    "plot": ["plot", "x**2 + a", "x=-1..1", "a=2"],
    "check": ["check", str(ROOT / "samples/homework/chain_rule.toml"), "answers.txt"],
    "check --lint": ["check", str(ROOT / "samples/homework/chain_rule.toml"), "--lint"],
    KEY: ["check", str(ROOT / "samples/homework/chain_rule.toml"), "--key"],
    HANDOUT: ["check", str(ROOT / "samples/homework/chain_rule.toml"), "--handout"],
}
ALL = [(command, name) for name, form in FORMS.items() for command in form.renderers]
ALL = [(command, name) for command, name in ALL if command not in (COMPARISON, FOLDER, INDEX)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "snippet.py").write_text(SNIPPET, encoding="utf-8")
    (tmp_path / "answers.txt").write_text("[diamond]\ns = 25\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def ran(*arguments: str) -> Result:
    """Run gradcli as a process of its own, whose child may write no file."""
    done = subprocess.run([*served(), *arguments], capture_output=True, text=True, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


def test_every_command_has_text_and_json() -> None:
    assert {command for command, _ in ALL} == set(ASKED)
    for command in ASKED:
        assert set(TEXTS) & set(forms(command))
        assert "json" in forms(command) or command == HANDOUT


@pytest.mark.slow
@pytest.mark.parametrize(("command", "name"), some(ALL, 5))
def test_a_file_holds_what_standard_output_does(capsys: pytest.CaptureFixture[str], command: str, name: str) -> None:
    shown = gradcli(capsys, [*ASKED[command], "--format", name])
    assert shown.out.strip()
    for ending in FORMS[name].endings:
        written = gradcli(capsys, [*ASKED[command], "-o", f"out{ending}"])
        assert (written.code, written.out, written.err) == (shown.code, "", shown.err)
        assert Path(f"out{ending}").read_text(encoding="utf-8") == shown.out
        assert chosen(command, None, f"x{ending.upper()}") == name
    assert len([*Path().iterdir()]) == 2 + len(FORMS[name].endings)


@pytest.mark.parametrize("command", ASKED)
def test_a_form_that_a_command_has_not_names_those_it_has(capsys: pytest.CaptureFixture[str], command: str) -> None:
    for options in (["--format", "nonsense"], ["-o", "lesson.pdf"]):
        refused = gradcli(capsys, [*ASKED[command], *options])
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.startswith("error[E008]: ")
        named = (
            forms(command)
            if options[0] == "--format"
            else [form.endings[0] for form in forms(command).values() if form.endings]
        )
        assert ", ".join(named) in refused.err
    others = {ending for form in FORMS.values() for ending in form.endings}
    others -= {ending for form in forms(command).values() for ending in form.endings}
    for ending in others:
        with pytest.raises(UsageError, match=f"ends in {ending}"):
            chosen(command, None, f"x{ending}")


@pytest.mark.parametrize("command", ["eval", "trace", "graph", "run", "check"])
def test_the_help_names_the_forms(capsys: pytest.CaptureFixture[str], command: str) -> None:
    text = " ".join(gradcli(capsys, [command, "--help"]).out.split())
    known = {name for asked in (*ASKED, FOLDER) if asked.split()[0] == command for name in forms(asked)}
    (named,) = [part.partition(".")[0] for part in text.split("The form: ")[1:]]
    assert set(named.split(", ")) == known


@pytest.mark.slow
def test_a_child_has_its_file_written() -> None:
    Path("real.md").write_text("old", encoding="utf-8")
    Path("real.md").chmod(0o640)
    Path("link.md").symlink_to("real.md")
    done = ran(*ASKED["run"], "-o", "link.md")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert "tensor(6.)" in Path("real.md").read_text(encoding="utf-8")
    assert Path("link.md").is_symlink()
    assert stat.S_IMODE(Path("real.md").stat().st_mode) == 0o640
    assert sorted(path.name for path in Path().iterdir()) == ["answers.txt", "link.md", "real.md", "snippet.py"]


@pytest.mark.slow
def test_nothing_is_written_where_there_is_an_error() -> None:
    Path("kept.md").write_text("old", encoding="utf-8")
    done = ran("eval", "log(x) + y", "x=1", "-o", "kept.md")
    assert (done.code, done.out) == (3, "")
    large = ran("eval", "x*x", "x=2", "-o", "kept.md", "--max-output", "10")
    assert (large.code, large.out) == (3, "")
    assert "more than 10 bytes" in large.err
    assert Path("kept.md").read_text(encoding="utf-8") == "old"
    assert len([*Path().iterdir()]) == 3


@pytest.mark.slow
def test_a_run_that_fails_is_told_in_the_file() -> None:
    Path("snippet.py").write_text(SNIPPET + "y.backward()\n", encoding="utf-8")
    for name in ("out.md", "out.txt", "out.json"):
        done = ran(*ASKED["run"], "-o", name)
        assert (done.code, done.out) == (3, "")
        assert "tensor(6.)" in Path(name).read_text(encoding="utf-8")
        assert bool(done.err) == (name != "out.json")


@pytest.mark.slow
def test_pipes_and_devices_are_written_directly() -> None:
    os.mkfifo("pipe.md")
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(Path("pipe.md").read_text(encoding="utf-8")), daemon=True)
    reader.start()
    assert ran(*ASKED["eval"], "-o", "pipe.md").code == 0
    reader.join(10)
    assert found[0].startswith("# Gradients of `z`")
    assert ran(*ASKED["eval"], "-o", "/dev/null").code == 0
    assert ran(*ASKED["eval"], "-o", "/dev/stdout").out == ran(*ASKED["eval"]).out


@pytest.mark.parametrize("path", ["missing/x.md", ".", "snippet.py/x.md", "circle.md", "a" * 300 + ".md", ""])
def test_a_path_that_cannot_be_written(capsys: pytest.CaptureFixture[str], path: str) -> None:
    Path("circle.md").symlink_to("circle.md")
    refused = gradcli(capsys, ["eval", "x*x", "x=2", "--format", "markdown", "-o", path])
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith(f"error[E011]: cannot write {path}")
    assert "help: check the path after -o" in refused.err


@pytest.mark.slow
@pytest.mark.parametrize("name", some(forms(FOLDER), 2))
def test_a_folder_gets_a_file_a_student(capsys: pytest.CaptureFixture[str], name: str) -> None:
    Path("answers").mkdir()
    for student in ("ada", "bo <b>"):
        Path("answers", f"{student}.txt").write_text("[diamond]\ns = 25\ndq/ds = 26\n", encoding="utf-8")
    week = str(ROOT / "samples/homework/chain_rule.toml")
    done = gradcli(capsys, ["check", week, "answers", "--format", name, "-o", "feedback/"])
    assert (done.code, done.out, done.err) == (1, "", "")
    written = sorted(Path("feedback").iterdir())
    assert [path.suffix for path in written] == [FORMS[name].endings[0]] * 2
    for path in written:
        text = path.read_text(encoding="utf-8")
        assert "you kept the branch through m" in text
        assert "adds 24" not in text  # with which the right answer could be told
    shown = gradcli(capsys, ["check", week, "answers", "--format", name, "--reveal", "value", "-o", "feedback"])
    assert shown.code == 1
    assert "adds 24" in written[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", forms(INDEX))
def test_the_index_of_a_class_lies_beside_the_folder_of_its_students(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    Path("answers").mkdir()
    for student, answer in (("ada", "26"), ("bo <b>", "26"), ("Quentin", "50")):
        Path("answers", f"{student}.txt").write_text(f"[diamond]\ns = 25\ndq/ds = {answer}\n", encoding="utf-8")
    week = str(ROOT / "samples/homework/chain_rule.toml")
    done = gradcli(capsys, ["check", week, "answers", "--format", name, "--reveal", "verdict", "-o", "feedback/"])
    assert (done.code, done.out, done.err) == (1, "", "")
    (index,) = Path("feedback-class").iterdir()
    assert index.name == f"index{FORMS[name].endings[0]}"
    whole = index.read_text(encoding="utf-8")
    assert "fanout-overwrite" in whole  # a teacher reads it, whatever is revealed to students
    assert "2 students" in whole
    pages = sorted(Path("feedback").iterdir())
    assert len(pages) == 3
    for page in pages:
        text = re.sub("<style>.*?</style>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert [other.stem for other in pages if other != page and other.stem.partition("~")[0] in text] == []
        assert "fanout-overwrite" not in text
        assert not re.search("feedback-class|submissions|students", text)
    for link in re.findall('href="([^"]*)"', whole):
        assert (index.parent / unquote(link)).exists()
    assert len(re.findall("href=", whole)) == 3 * (name == "html")


def test_the_pages_of_programs_load_nothing_that_opens_sockets() -> None:
    """They are written within walls, where `_socket` cannot be loaded."""
    where = {
        form.renderers[name] for form in FORMS.values() for name in ("eval", "trace", "graph") if name in form.renderers
    }
    modules = sorted({place.partition(":")[0] for place in where if ":" in place})
    program = f"import sys, {', '.join(modules)}; print([x for x in sys.modules if x in ('socket', 'multiprocessing')])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "[]\n"
