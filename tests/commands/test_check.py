"""`gradcli check`: exit codes, options, reports to every place, and what a student is not told."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
from pathlib import Path

import pytest

from gradcli.render.check.reports.registry import QUESTIONS, REPORTS
from tests.commands.running import document, gradcli
from tests.commands.served import program
from tests.commands.streams.test_batch_streams import arrives, opened, shown
from tests.commands.streams.test_streams import in_terminal, start
from tests.programs import some

FORMATS = tuple(REPORTS)
OUTPUTS = ["--all", *(f"--report {name}" for name in FORMATS)]
ASSIGNMENT = """\
title = "Week 1"
[[question]]
id = "é"
text = "Differentiate."
program = '''
s = x**2
p = s + 1.7
m = exp(s/9)
q = p*m
'''
at.x = 1.37
ask = [
  "s", "q", "local ds/dx", "dq/ds",
  { quantity = "dq/dx", points = 2 },
  { quantity = "dq/dx", form = "expression" },
]
""".replace('  { quantity = "dq/dx", points = 2 },\n', "")
RIGHT = "[é]\ns = 1.877\nq = 4.406\nlocal ds/dx = 2.74\n∂q/∂s = 1.721\ndq/dx = (m + p*m/9)*2*x\n"
WRONG = "[é]\ns = 2.74\nq = 3.5\nlocal ds/dx = 1.4\n∂q/∂s = 0.397\ndq/dx = m*2*x\n"


@pytest.fixture
def week(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an assignment, and a class of four."""
    monkeypatch.chdir(tmp_path)
    Path("week1.toml").write_text(ASSIGNMENT, encoding="utf-8")
    Path("answers").mkdir()
    Path("answers/ada.txt").write_text(RIGHT, encoding="utf-8")
    Path("answers/bob.txt").write_text(WRONG, encoding="utf-8")
    Path("answers/cy.json").write_text('{"é": {"s": "__import__(\'os\')", "q": 4.406, "z": 1}}', encoding="utf-8")
    Path("answers/dan.txt").write_bytes(b"\x89PNG\x00")
    return tmp_path


@pytest.mark.slow
def test_exit_codes(capsys: pytest.CaptureFixture[str], week: Path) -> None:
    assert gradcli(capsys, "check week1.toml answers/ada.txt").code == 0
    for name in ("dan.txt", "ada.txt answers/bob.txt"):
        result = gradcli(capsys, f"check week1.toml answers/{name}")
        assert (result.code, result.err) == (1, "")
    for name in ("week2.toml", "answers", "answers/ada.txt", "answers/dan.txt"):
        result = gradcli(capsys, f"check {name} answers")
        assert (result.code, result.out) == (2, "")
    assert gradcli(capsys, "check --key week1.toml").code == 0
    assert gradcli(capsys, "check --lint week1.toml").code == 0
    Path("week1.toml").write_text(ASSIGNMENT.replace("1.37", "0"), encoding="utf-8")
    assert gradcli(capsys, "check --lint week1.toml").code == 1


def test_a_path_where_nothing_is_is_refused(capsys: pytest.CaptureFixture[str], week: Path) -> None:
    for name in ("nobody.txt", "nobody/", "answers/ada.txt/x", "answers/ada.txt nobody.txt"):
        result = gradcli(capsys, f"check week1.toml {name}")
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith("error[E003]: cannot read ")


@pytest.mark.parametrize("arguments", ["week1.toml answers/bob.txt", "--lint week1.toml"])
def test_the_exit_code_need_not_tell(capsys: pytest.CaptureFixture[str], week: Path, arguments: str) -> None:
    Path("week1.toml").write_text(ASSIGNMENT.replace("1.37", "0"), encoding="utf-8")
    told = gradcli(capsys, f"check {arguments}")
    zero = gradcli(capsys, f"check {arguments} --exit-zero")
    assert (told.code, zero.code, zero.out) == (1, 0, told.out)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["answers/ada.txt", "answers/bob.txt", "answers/cy.json", "answers/dan.txt"])
def test_a_dash_is_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, week: Path, name: str
) -> None:
    named = gradcli(capsys, f"check week1.toml {name} --json")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(name).read_bytes())))
    piped = gradcli(capsys, "check week1.toml - --json")
    assert piped.code == named.code
    (submission,) = document(piped.out)["submissions"]
    (expected,) = document(named.out)["submissions"]
    assert (submission["answers"], submission["student"]) == (expected["answers"], "standard input")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ("week1.toml", "E002", "there is no submission"),
        ("week1.toml empty", "E003", "there are no submissions in the folder"),
        ("- -", "E014", "cannot both be on standard input"),
        ("- answers", "E021", "there is no question"),
        ("--lint --key week1.toml", "E001", "--lint does not go with --key"),
        ("--lint week1.toml answers", "E001", "--lint does not go with a submission"),
        ("--key week1.toml answers", "E001", "--key does not go with a submission"),
        ("--lint --report csv week1.toml", "E001", "--lint does not go with --report"),
        ("--key --reveal node week1.toml", "E001", "--key does not go with --reveal"),
        ("week1.toml answers --json --report csv", "E001", "--report does not go with --json"),
        ("week1.toml answers -o x.csv", "E008", "--report csv"),
        ("week1.toml answers --report html", "E008", "html"),
        ("week1.toml answers --report ''", "E008", "there is no report ''"),
        ("week1.toml answers --reveal all", "E001", "all"),
        ("week1.toml answers --report moodle", "E001", "--report moodle does not go with a submission"),
        ("week1.toml --report gift -o empty", "E023", "gift questions are one file"),
        ("week1.toml --report moodle -o no/where.xml", "E011", "cannot write no/where.xml: No such file"),
        ("week1.toml answers --jobs 0", "E001", "0"),
        ("week1.toml answers --report junit -o answers", "E023", "answers holds submissions"),
        ("week1.toml answers --report gradescope -o answers/", "E023", "answers/ holds submissions"),
        ("week1.toml answers/ada.txt --report csv -o answers/ada.txt", "E023", "answers/ada.txt holds submissions"),
        ("week1.toml answers --report gradescope", "E023", "a gradescope report is about one submission"),
        ("week1.toml answers --report check50 -o x.json", "E023", "-o reports/"),
        ("week1.toml answers --report csv -o empty", "E011", "cannot write empty: Is a directory"),
        ("week1.toml answers --report csv -o no/where.csv", "E011", "cannot write no/where.csv: No such file"),
        ("week1.toml answers --report csv -o /dev/full", "E011", "cannot write /dev/full: No space left"),
        ("week1.toml answers --report check50 -o week1.toml/", "E011", "cannot write week1.toml: File exists"),
    ],
)
def test_what_is_refused(
    capsys: pytest.CaptureFixture[str],
    week: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: str,
    code: str,
    says: str,
) -> None:
    Path("empty").mkdir()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    before = {path: path.read_bytes() for path in week.rglob("*") if path.is_file()}
    result = gradcli(capsys, f"check {arguments}")
    assert (result.code, result.out if "--json" not in arguments else "") == (2, "")
    told = result.err + result.out
    assert code in told
    assert says in told
    assert "help" in told
    assert {path: path.read_bytes() for path in week.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_an_assignment_from_standard_input(week: Path) -> None:
    with Path("week1.toml").open("rb") as file:
        assert start("check", "-", "answers/ada.txt", stdin=file).returncode == 0
    broken = start("check", "-", "answers/ada.txt", input=ASSIGNMENT.replace("exp(", "epx(").encode())
    assert broken.returncode == 2
    assert b"--> standard input:8:5" in broken.stderr
    assert b"did you mean exp?" in broken.stderr


def test_the_page_and_the_table(capsys: pytest.CaptureFixture[str], week: Path) -> None:
    page = gradcli(capsys, "check week1.toml answers/bob.txt").out
    assert page.startswith("bob   ")
    assert "Differentiate." in page
    table = gradcli(capsys, "check week1.toml answers").out
    assert table.startswith("Week 1   4 students, mean ")
    assert [name for name in ("ada", "bob", "cy", "dan") if re.search(rf"^  {name} +[\d.]+ of 5", table, re.MULTILINE)]
    every = gradcli(capsys, "check week1.toml answers --all").out
    assert every.endswith(table)
    assert page in every


def test_the_document(capsys: pytest.CaptureFixture[str], week: Path) -> None:
    found = document(gradcli(capsys, "check week1.toml answers --json").out)
    assert (found["schema"], [one["student"] for one in found["submissions"]]) == (
        "gradcli.check/1",
        ["ada", "bob", "cy", "dan"],
    )
    verdicts = [[answer["verdict"] for answer in one["answers"]] for one in found["submissions"]]
    assert verdicts[0] == ["correct"] * 5
    assert set(verdicts[1]) == {"wrong"}
    assert verdicts[2] == ["unreadable", "correct", "missing", "missing", "missing", "unreadable"]
    assert verdicts[3] == ["unreadable"] * 5
    assert found["submissions"][1]["answers"][4]["diagnoses"]


@pytest.mark.slow
def test_keys_and_lint_as_documents(capsys: pytest.CaptureFixture[str], week: Path) -> None:
    key = document(gradcli(capsys, "check --key week1.toml --json").out)
    Path("key.json").write_text(json.dumps(key["answers"]), encoding="utf-8")
    assert gradcli(capsys, "check week1.toml key.json").code == 0
    text = gradcli(capsys, "check --key week1.toml").out
    Path("key.txt").write_text(text[text.index("# Answers") :], encoding="utf-8")
    assert gradcli(capsys, "check week1.toml key.txt").code == 0
    assert document(gradcli(capsys, "check --lint week1.toml --json").out)["ok"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["csv", "gradescope"])  # one of a class, one of each student
def test_reports_to_every_place(capsys: pytest.CaptureFixture[str], week: Path, name: str) -> None:
    one = gradcli(capsys, f"check week1.toml answers/bob.txt --report {name}")
    assert one.code == 1
    gradcli(capsys, f"check week1.toml answers/bob.txt --report {name} -o report")
    assert Path("report").read_text(encoding="utf-8") == one.out
    if REPORTS[name].per_student:
        for folder in ("new/reports/", "new/reports"):  # the second time it is there
            assert gradcli(capsys, f"check week1.toml answers --report {name} -o {folder}").code == 1
        found = sorted(path.name for path in Path("new/reports").iterdir())
        assert found == ["ada.json", "bob.json", "cy.json", "dan.json"]
        assert Path("new/reports/bob.json").read_text(encoding="utf-8") == one.out


@pytest.mark.slow
@pytest.mark.parametrize("name", [*QUESTIONS][:1])
def test_questions_need_no_submission(capsys: pytest.CaptureFixture[str], week: Path, name: str) -> None:
    one = gradcli(capsys, f"check week1.toml --report {name}")
    assert (one.code, one.err) == (0, "")
    assert one.out.count("right, and by no mistake") == 4
    assert gradcli(capsys, f"check week1.toml --report {name} -o questions").code == 0
    assert Path("questions").read_text(encoding="utf-8") == one.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "output"),
    [
        *[("node", ""), ("rule", "--json"), ("value", ""), ("value", "--json")],
        *some(((level, output) for output in OUTPUTS for level in ("verdict", "node", "rule")), 14),
    ],
)
def test_no_right_number_is_told_below_value(
    capsys: pytest.CaptureFixture[str], week: Path, level: str, output: str
) -> None:
    """Its digits are those of 1.8769, 4.40598, 2.74, 1.7214 and of the formula."""
    out = gradcli(capsys, f"check week1.toml answers/bob.txt --reveal {level} {output}").out
    out = out.replace("2.74", "")  # what the student wrote
    told = [digits for digits in ("1.876", "1.877", "4.405", "4.406", "1.72", "p*m/9", "m/9") if digits in out]
    assert not told or level == "value"
    if output in ("", "--json"):
        assert bool(told) == (level == "value")
    codes = [code for code in ("path-missed", "fanout-overwrite") if code in out]
    assert not codes or level in ("rule", "value") or "mistakes" in output


@pytest.mark.slow
def test_a_gradebook_of_names_that_act(capsys: pytest.CaptureFixture[str], week: Path) -> None:
    rows = ["student,question,quantity,answer", "=1+1,é,s,1.877", '"a,""b",é,s,1', "\x1b[31m,é,s,2", ",é,s,2"]
    Path("class.csv").write_text("\n".join(rows), encoding="utf-8")
    out = gradcli(capsys, "check week1.toml class.csv --report csv").out
    names = [row["student"] for row in csv.DictReader(io.StringIO(out))]
    assert names == ["'=1+1", 'a,"b', "\\x1b[31m", "(no name)"]
    for option in ("", "--all", "--json"):
        assert "\x1b" not in gradcli(capsys, f"check week1.toml class.csv {option}").out


def test_files_of_other_kinds_are_told(capsys: pytest.CaptureFixture[str], week: Path) -> None:
    Path("answers/eve.docx").touch()
    result = gradcli(capsys, "check week1.toml answers --json")
    assert result.err.startswith("warning: not graded: eve.docx (")
    assert len(document(result.out)["submissions"]) == 4


def by_clock(seconds: int) -> list[str]:
    """`gradcli` with a clock that goes on by so many seconds whenever it is asked."""
    clock = f"import itertools, time; ticks = itertools.count(); time.monotonic = lambda: next(ticks)*{seconds}"
    return [*program(), f"{clock}\nfrom gradcli.__main__ import main; main()"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "name"), [(50, "--all answers"), (80, "answers/bob.txt"), (120, "answers/cy.json")]
)
def test_looks(week: Path, columns: int, name: str) -> None:
    arguments = ["check", "week1.toml", *name.split()]
    wide = in_terminal(*arguments, columns=columns, command=by_clock(0), NO_COLOR="1")  # no bar before the page
    assert "\x1b" not in wide
    assert max(map(len, wide.splitlines())) <= columns
    plain = in_terminal(*arguments, "--ascii", "--color", "never", columns=columns, command=by_clock(0))
    assert plain.replace("é", "").isascii()  # but for what is called so
    assert max(map(len, plain.splitlines())) <= columns
    if columns == 80:
        assert "\x1b[" in in_terminal(*arguments, columns=columns, command=by_clock(0))


FEW = 20


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class in a folder and in a file, each student with other answers."""
    folder = tmp_path_factory.mktemp("crowd")
    (folder / "week1.toml").write_text(ASSIGNMENT, encoding="utf-8")
    rows = ["student,question,quantity,answer"]
    for name in ("answers", "many"):
        (folder / name).mkdir()
    for number in range(60):
        answers = [f"s = {1.8 + number % 9 / 100}", f"q = 4.{number}", f"dq/ds = {0.397 + number}", "dq/dx = m*2*x"]
        (folder / f"many/s{number:03}.txt").write_text("\n".join(["[é]", *answers]), encoding="utf-8")
        if number >= FEW:
            continue
        (folder / f"answers/s{number:03}.txt").write_text("\n".join(["[é]", *answers]), encoding="utf-8")
        rows += [f"s{number:03},é,{','.join(answer.split(' = '))}" for answer in answers]
    (folder / "class.csv").write_text("\n".join(rows), encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("jobs", ["2"])
def test_an_interruption_is_quiet(crowd: Path, jobs: str) -> None:
    arguments = ["check", "week1.toml", "many", "--json", "--jobs", jobs]
    with opened(*arguments, cwd=crowd, start_new_session=True) as process:
        assert process.stdout is not None
        assert arrives(process.stdout.fileno())
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate()
    assert (process.returncode, errors) == (-signal.SIGINT, b"")


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0, 1])
def test_a_bar_after_a_second(week: Path, seconds: int) -> None:
    arguments = ["check", "week1.toml", "answers", "--report", "csv", "-o", "grades.csv", "--ascii"]
    found = shown(arguments, code=1, command=by_clock(seconds))
    assert bool(re.search(rb"\d/4", found)) == bool(seconds)


def test_points_add_up_as_decimals(capsys: pytest.CaptureFixture[str], week: Path) -> None:
    asks = "".join(f'{{ quantity = "{name}", points = 0.1 }}, ' for name in ("s", "q", "dq/ds"))
    head = ASSIGNMENT.partition("ask = [")[0]
    Path("tenths.toml").write_text(f"{head}ask = [{asks}]\n", encoding="utf-8")
    found = document(gradcli(capsys, "check tenths.toml answers/ada.txt --json").out)
    (question,), (submission,) = found["assignment"]["questions"], found["submissions"]
    scores = found["assignment"]["max_score"], question["max_score"], submission["score"], submission["max_score"]
    assert scores == (0.3,) * 4
    rows = gradcli(capsys, "check tenths.toml answers/ada.txt --report csv").out.splitlines()
    assert rows[1].endswith(",0.3,0.3,0.3")
