"""A course from the first sheet to the appeal: the commands of its sample, the walls, and what is refused."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from tests.commands.running import ROOT, document, gradcli
from tests.homework.course.weeks import LAYER, ROSTER, WEEK

SAMPLE = ROOT / "samples" / "course"
BLOCK = re.compile(r"```shell-session\n(.*?)```", re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
HEAD = re.compile(r" \| head -(\d+)$")


@pytest.mark.slow
def test_the_commands_of_a_week(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each prints what stands below it; GRADCLI_RECORD=1 writes that anew."""
    shutil.copytree(SAMPLE, tmp_path / "course")
    monkeypatch.chdir(tmp_path / "course")
    text = (SAMPLE / "README.md").read_text(encoding="utf-8")
    commands = [found for block in BLOCK.findall(text) for found in COMMAND.findall(block)]
    assert len(commands) >= 10
    for line, expected in commands:
        head = HEAD.search(line)
        result = gradcli(capsys, HEAD.sub("", line).removeprefix("gradcli "))
        lines = result.out.splitlines(keepends=True)
        shown = "".join(lines[: int(head[1])] if head else lines)
        assert result.code in (0, 1), result.err
        if os.environ.get("GRADCLI_RECORD"):
            text = text.replace(f"$ {line}\n{expected}", f"$ {line}\n{shown}", 1)
            (SAMPLE / "README.md").write_text(text, encoding="utf-8")
        else:
            assert shown == expected, line
    recorded = SAMPLE / "sheets" / "week1" / "variants.json"
    assert Path("sheets/week1/variants.json").read_text() == recorded.read_text(), "the sheets stay as they are"
    counts = [len([*Path(folder).glob(name)]) for folder in ("sheets/week1", "keys") for name in ("*.txt", "*.tex")]
    assert counts == [16, 16, 0, 16]
    (copied,) = document(Path("week1.json").read_text())["elsewhere"]
    assert (copied["student"], copied["sheets"][0]["student"]) == ("a4111", "a4109")
    assert "a4109" not in Path("feedback/a4111.html").read_text(encoding="utf-8")
    assert "the appeal was right" not in Path("feedback/a4112.html").read_text(encoding="utf-8")


def test_the_sample_has_thirty_submissions() -> None:
    folders = ("moodle", "folders", "canvas", "week-2-submissions", "gradescope")
    files = [file for folder in folders for file in (SAMPLE / folder).rglob("*") if file.is_file()]
    assert len([file for file in files if file.name not in ("README.md", "submission_metadata.yml")]) == 30


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("week3.toml", WEEK + LAYER), ("roster.csv", ROSTER), ("secret", "a secret of the course\n")):
        Path(name).write_text(text, encoding="utf-8")
    Path("plain.toml").write_text(WEEK.replace("{ choose = [1.3, 1.7, 2.2, 2.6] }", "2.2"), encoding="utf-8")
    Path("answers").mkdir()
    Path("answers/ada.txt").write_text("[diamond]\ns = 4.84\ndq/ds = 9.68\ndq/dx = 7\n")
    Path("answers/bob.txt").write_text("[diamond]\ns = 4.84\n")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "html"])
def test_the_key_of_a_sheet_is_that_of_an_assignment_with_its_values(
    course: Path, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    """Also where its letters are no ASCII, and a page is styled by a style that its policy names by a digest."""
    Path("week3.toml").write_text(WEEK.replace("Week 3", "Übung 3"), encoding="utf-8")
    assert gradcli(capsys, "check --handout week3.toml --roster roster.csv --secret-file secret -o sheets/").code == 0
    (ada, *_) = json.loads(Path("sheets/variants.json").read_text())["students"]
    assert gradcli(capsys, f"check --key week3.toml --variants sheets/variants.json --format {form} -o keys/").code == 0
    choice, value = "{ choose = [1.3, 1.7, 2.2, 2.6] }", str(ada["values"]["diamond"]["x"])
    Path("week3.toml").write_text(WEEK.replace("Week 3", "Übung 3").replace(choice, value), encoding="utf-8")
    assert gradcli(capsys, f"check --key week3.toml --format {form} -o alone").code == 0
    (written,) = Path("keys").glob("ada.*")
    assert written.read_text(encoding="utf-8") == Path("alone").read_text(encoding="utf-8")
    assert {"html": "Übung", "json": '"gradcli.key/1"', "latex": "diamond"}.get(form, "∂") in written.read_text("utf-8")


HAND_OUT = "check --handout week3.toml --roster roster.csv"
REFUSED = [
    ("check --handout week3.toml", "E024", "add --roster roster.csv"),
    (HAND_OUT, "E001", "-o sheets/"),
    (f"{HAND_OUT} -o sheets/", "E024", "--secret-file"),
    (f"{HAND_OUT} -o sheets/ --secret-file nowhere", "E003", "openssl rand"),
    (f"{HAND_OUT} -o sheets/ --secret-file empty", "E024", "empty is empty"),
    (f"{HAND_OUT} -o sheets/ --secret-file secret --format svg", "E008", "text, markdown, html, latex"),
    (f"{HAND_OUT} --lint", "E001", "--lint does not go with --handout"),
    (f"{HAND_OUT} --variants x.json", "E001", "--handout does not go with --variants"),
    (f"{HAND_OUT.replace('week3', 'narrow')} -o sheets/ --secret-file secret", "E022", "also comes out if you"),
    ("check week3.toml answers", "E024", "add --variants sheets/variants.json"),
    ("check --key week3.toml", "E024", "add --variants sheets/variants.json"),
    ("check plain.toml answers --roster nowhere.csv", "E003", "a roster, a .csv file"),
    ("check plain.toml answers --roster twice.csv", "E025", "lines 2 and 3 have one id"),
    ("check plain.toml answers --roster roster.csv --roster again.csv", "E025", "roster.csv has the id ada too"),
    ("check plain.toml answers --roster names.csv", "E025", "no column id"),
    ("check plain.toml answers --variants plain.toml", "E024", "no record of sheets"),
    ("check plain.toml answers --overrides nobody.toml", "E026", "there is no student eve"),
    ("check plain.toml answers --overrides nobody.toml --roster roster.csv", "E026", "there is no student eve"),
    ("check plain.toml answers --against other.json", "E027", "another assignment"),
    ("check plain.toml answers --allow-lower", "E001", "--allow-lower is for --against"),
    ("check plain.toml answers --secret-file secret", "E001", "--secret-file is for --handout"),
    ("check --key plain.toml --attempts best", "E001", "--key does not go with --attempts"),
    ("check plain.toml answers --layout modle", "E001", "modle"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "code", "told"), REFUSED, ids=[one[0] for one in REFUSED])
def test_what_is_refused(course: Path, capsys: pytest.CaptureFixture[str], command: str, code: str, told: str) -> None:
    collides = (
        "[[question]]\nid = 'q'\nprogram = 'q = 11*x*y'\nask = ['dq/dx']\nat = { y = 1, x = { choose = [1, 3] } }\n"
    )
    other = {
        "schema": "gradcli.check/1",
        "assignment": {"title": "", "file": "w.toml", "questions": []},
        "submissions": [],
    }
    for name, text in {
        "empty": "", "narrow.toml": collides, "twice.csv": "id\nada\nADA\n", "again.csv": "id\nada\n",
        "names.csv": "name,email\nAda,a@x\n", "other.json": json.dumps(other),
        "nobody.toml": "[[override]]\nstudent = 'eve'\nquestion = 'diamond'\nquantity = 's'\npoints = 1\n",
    }.items():  # fmt: skip
        Path(name).write_text(text)
    result = gradcli(capsys, command)
    assert (result.code, result.out) == (2, ""), result
    assert f"error[{code}]" in result.err
    assert told in " ".join(result.err.split())
    assert not Path("sheets/ada.txt").exists()


@pytest.mark.slow
def test_sheets_and_the_grading_of_them(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hand_out = f"{HAND_OUT} -o sheets/ --secret-file secret"
    assert gradcli(capsys, hand_out).code == 0
    record = Path("sheets/variants.json")
    first = record.read_text()
    document(first)
    assert sorted(file.name for file in Path("sheets").iterdir()) == ["ada.txt", "bob.txt", "variants.json", "zoe.txt"]
    Path("roster.csv").write_text(f"{ROSTER}late,Late Comer,l@x.org,lc\n")
    Path("secret").write_text("another secret")
    assert gradcli(capsys, hand_out).code == 0
    assert record.read_text().startswith(first.rstrip("]}\n").rstrip())
    assert gradcli(capsys, "check --key week3.toml --variants sheets/variants.json --json -o keys/").code == 0
    answers = json.loads(Path("keys/zoe.json").read_text())["answers"]
    Path("answers/zoe.json").write_text(json.dumps(answers))
    found = document(gradcli(capsys, "check week3.toml answers --variants sheets/variants.json --json").out)
    ada, bob, zoe = found["submissions"]
    assert zoe["score"] == zoe["max_score"]
    assert not found["ok"]
    sheets = "--variants sheets/variants.json --roster roster.csv"
    shown = gradcli(capsys, f"check week3.toml answers/zoe.json {sheets} --all")
    assert "Müller, Zoë (zoe)" in shown.out
    assert {ada["name"], bob["name"]} == {""}


def test_one_sheet_for_all_needs_neither_roster_nor_secret(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = gradcli(capsys, "check --handout plain.toml")
    assert (result.code, result.err) == (0, "")
    assert "s =\n" in result.out
    assert gradcli(capsys, "check --handout plain.toml --roster roster.csv -o sheets/").code == 0
    assert sorted(file.name for file in Path("sheets").iterdir()) == ["ada.txt", "bob.txt", "zoe.txt"]


@pytest.mark.slow
def test_a_score_is_lowered_only_where_that_is_meant(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gradcli(capsys, "check plain.toml answers --json -o old.json")
    Path("answers/bob.txt").write_text("[diamond]\ns = 5\ndq/ds = 9.68\n")
    command = "check plain.toml answers --against old.json"
    same = gradcli(capsys, "check plain.toml answers/ada.txt --against old.json")
    assert "bob   1 → nothing points" in same.out
    refused = gradcli(capsys, f"{command} --report csv -o new.csv --overrides lower.toml")
    assert refused.code == 2
    Path("lower.toml").write_text("[[override]]\nstudent='ada'\nquestion='diamond'\nquantity='s'\npoints=0\n")
    refused = gradcli(capsys, f"{command} --report csv -o new.csv --overrides lower.toml")
    assert (refused.code, refused.out) == (2, "")
    assert "ada   2 → 1 points" in refused.err
    assert "error[E027]: grading again lowers the score of ada (2 to 1)" in refused.err
    assert not Path("new.csv").exists()
    allowed = gradcli(capsys, f"{command} --report csv -o new.csv --overrides lower.toml --allow-lower")
    assert allowed.code == 1
    assert "ada,answers/ada.txt,1,1,4" in Path("new.csv").read_text()
    head, ada, *_ = gradcli(capsys, "check plain.toml answers --roster roster.csv --report csv").out.splitlines()
    assert head == "student,name,email,file,diamond,total,max"
    assert ada == "ada,Ada Lovelace,ada@x.org,answers/ada.txt,2,2,4"
    canvas = gradcli(capsys, "check plain.toml answers --roster roster.csv --report canvas").out.splitlines()
    assert canvas[2] == "Ada Lovelace,,ada,ada,,2"


@pytest.mark.slow
def test_a_name_that_is_a_formula_is_none_in_a_table(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("roster.csv").write_text('id,name,email\n"=1+2","=HYPERLINK(""http://x"")",@x.org\nada,-Ada,+a@x.org\n')
    for report in ("csv", "canvas", "mistakes", "items", "similar"):
        table = gradcli(capsys, f"check plain.toml answers --roster roster.csv --report {report}").out
        assert not re.search(r'(?:^|[,;"])\s*[=+@-](?![\d.]+(?:[,\n]|$))', table, re.MULTILINE), table
    assert "'=1+2" in gradcli(capsys, "check plain.toml answers --roster roster.csv --report csv").out


def test_attempts_of_a_class(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Path("plain.toml").open("a") as file:
        file.write("[grading]\nattempt_penalty = 0.25\n")
    Path("answers/bob_attempt2.txt").write_text("[diamond]\ns = 4.84\ndq/ds = 9.68\n")
    scores = {}
    for rule in ("best", "last"):
        found = document(gradcli(capsys, f"check plain.toml answers --attempts {rule} --roster roster.csv --json").out)
        scores[rule] = [(one["student"], one["score"], one["notes"]) for one in found["submissions"]]
    assert scores["best"][1] == ("bob", 1.5, ["attempt 2 counts as the best of 2, with 75% of its points"])
    assert scores["last"][1] == ("bob", 1.5, ["attempt 2 counts, with 75% of its points"])
    assert scores["best"][2] == ("zoe", 0.0, ["nothing was handed in"])
    page = gradcli(capsys, "check plain.toml answers/bob_attempt2.txt --attempts best --all")
    assert "attempt 2 counts, with 75% of its points" in page.out
