"""Submissions: text, JSON and CSV, and everything that is none of them; what is wrong with one costs no other."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradcli.errors import UsageError
from gradcli.homework.assignment.assignments import read_assignment
from gradcli.homework.grading import Grader
from gradcli.homework.model import Result
from gradcli.homework.submission.files import files_of, students_of
from gradcli.homework.submission.submissions import NOBODY, Given, Submission, read_json, read_text, submissions
from gradcli.source import Source

DIAMOND = """\
[[question]]
id = "d"
program = '''
s = x**2
q = (s + 1)*(s - 1)
'''
at.x = 3
ask = ["s", "q", "dq/ds", "dq/dx", "local ds/dx"]
"""
ASKED = ["s", "q", "dq/ds", "dq/dx", "local ds/dx"]
GRADER = Grader(read_assignment(Source(DIAMOND, "week1.toml")))
RIGHT = {"s": "9", "q": "80", "dq/ds": "18", "dq/dx": "108", "local ds/dx": "6"}


def of_text(text: str) -> Submission:
    return read_text("ada.txt", "ada", text)


def verdicts(result: Result) -> dict[str, str]:
    """Of what was asked."""
    return {answer.quantity: answer.verdict for answer in result.answers if answer.max_points}


def from_file(path: Path, content: str | bytes) -> list[Submission]:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(submissions(path))


def one(path: Path, content: str | bytes) -> Submission:
    (found,) = from_file(path, content)
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("# nothing\n\n", []),
        ("[d]\ns = 4", [("d", "s", "4")]),
        ("[ d ]\r\n  s=4 # four\r\n", [("d", "s", "4")]),
        ("[d]\rs = 4\rq = 5", [("d", "s", "4"), ("d", "q", "5")]),
        ("s = 4", [("", "s", "4")]),
        ("[d]\ns =\nq = 5", [("d", "s", None), ("d", "q", "5")]),
        ("[d]\ns = # later\n", [("d", "s", None)]),
        ("[d]\n∂q/∂s = 2*s", [("d", "∂q/∂s", "2*s")]),
        ("[d]\nZ = [[1, 2],\n     [3, 4]]\ns = 1", [("d", "Z", "[[1, 2],\n     [3, 4]]"), ("d", "s", "1")]),
        ("[d]\nZ = [\n1, 2\n]\ns = 1", [("d", "Z", "[\n1, 2\n]"), ("d", "s", "1")]),
        ("[d]\nZ = tensor([[1.],\n        [2.]])\n", [("d", "Z", "tensor([[1.],\n        [2.]])")]),
        ("[d]\nZ = [1,\ns = 4", [("d", "Z", "[1,"), ("d", "s", "4")]),
        ("[d]\nZ = (\n[e]\ns = 4", [("d", "Z", "("), ("e", "s", "4")]),
        ("[d]\ns = 4 = 5", [("d", "s", "4 = 5")]),
        ("[d]\ns == 4", [("d", "s", "= 4")]),
        ("[d]\ns = 4; q = 5", [("d", "s", "4; q = 5")]),
        ("[e\u0301]\ns = 4", [("\xe9", "s", "4")]),
    ],
)
def test_text(text: str, expected: list[tuple[str, str, str | None]]) -> None:
    found = of_text(text)
    assert [(g.question, g.quantity, g.text) for g in found.given] == expected
    assert found.remarks == ()


@pytest.mark.parametrize("line", ["dL/dz: 4", "= 5", "the answer is 4", "[d", "- 4", "[d] s = 4"])
def test_a_line_that_is_no_answer_is_told_with_its_number(line: str) -> None:
    found = of_text(f"[d]\ns = 9\n{line}\nq = 80\n")
    assert verdicts(GRADER.grade(found)) | {"s": "correct", "q": "correct"} == verdicts(GRADER.grade(found))
    assert found.remarks[0].startswith("line 3 is no [question], and no quantity = answer: ")


def test_remarks_come_to_an_end() -> None:
    remarks = of_text("nonsense\n" * 10_000).remarks
    assert (len(remarks), remarks[-1]) == (21, "and 9980 more")


@given(st.text())
@example("[d]\n" + "[" * 500)
@example("=\n=\n")
@example("s = (\n(\n)")
@example("[\n]\n=")
@example("\x1b[31m=\x00\x85\u2028")
def test_any_text_is_a_submission(text: str) -> None:
    result = GRADER.grade(of_text(text))
    assert len(result.answers) >= len(RIGHT)


@given(st.text(st.characters(exclude_characters="\r\n")), st.sampled_from(sorted(RIGHT)))
@example("[e]", "q")
@example("x = [1,", "q")
@example("q = (", "s")
@example("local ds/dx = {[", "q")
def test_a_bad_line_costs_no_other_answer(line: str, quantity: str) -> None:
    """Whatever stands there, the answers above and, under a heading of their own, those below count."""
    others = [f"{name} = {value}" for name, value in RIGHT.items() if name != quantity]
    text = "\n".join(["[d]", *others[:2], "[zzz]", line, "[d]", *others[2:], ""])
    found = verdicts(GRADER.grade(of_text(text)))
    assert {found[name] for name in RIGHT if name != quantity} == {"correct"}


@given(st.text(max_size=30), st.sampled_from(sorted(RIGHT)))
@example("9**9**9**9", "s")
@example("nan", "q")
@example("__import__('os')", "q")
def test_a_bad_answer_costs_no_other_answer(answer: str, quantity: str) -> None:
    answers = json.dumps({"d": {**RIGHT, quantity: answer}})
    found = verdicts(GRADER.grade(read_json("ada.json", "ada", answers)))
    assert {found[name] for name in RIGHT if name != quantity} == {"correct"}


@pytest.mark.parametrize("again", ["∂q/∂s", "dq/ds", "s.grad", "d q / d s", "d(q)/d(s)"])
def test_a_quantity_that_is_repeated_is_unreadable_alone(again: str) -> None:
    lines = [f"{name} = {value}" for name, value in RIGHT.items()]
    found = GRADER.grade(of_text("\n".join(["[d]", *lines, f"{again} = 18"])))
    assert verdicts(found) == dict.fromkeys(RIGHT, "correct") | {"dq/ds": "unreadable"}
    assert found.answers[2].remark == "given 2 times"


def test_spellings_of_a_quantity() -> None:
    lines = "[d]\ns=9\n q = 80\n∂q/∂s = 18\nx.grad = 108\nLocal ∂s/∂x = 6"
    assert set(verdicts(GRADER.grade(of_text(lines))).values()) == {"correct"}


def test_what_was_not_asked() -> None:
    found = GRADER.grade(of_text("s = 9\n[d]\nz = 3\nz =\n[e]\ns = 4\n[D]\ns = 9\n"))
    extra = [(a.question, a.quantity, a.verdict, a.remark) for a in found.answers[len(RIGHT) :]]
    assert extra == [
        ("", "s", "unreadable", "no [question] stands above it"),
        ("d", "z", "unreadable", "this was not asked"),
        ("e", "s", "unreadable", "there is no such question"),
        ("D", "s", "unreadable", "there is no such question; did you mean [d]?"),
    ]
    assert set(verdicts(found).values()) == {"missing"}
    assert found.max_score == len(RIGHT)


@pytest.mark.parametrize(
    ("answer", "text", "verdict"),
    [
        ("9", "9", "correct"),
        ("9.0", "9.0", "correct"),
        ('"9"', "9", "correct"),
        ('" 3**2 "', "3**2", "correct"),
        ("9e0", "9e0", "correct"),
        ("8", "8", "wrong"),
        ("[9]", "[9]", "shape"),
        ("null", "None", "missing"),
        ('""', None, "missing"),
        ("true", "True", "unreadable"),
        ("{}", "", "unreadable"),
        ('{"x": 1}', "", "unreadable"),
        ("[1, [2]]", "[1, [2]]", "unreadable"),
        ("[null]", "", "unreadable"),
        ("NaN", "NaN", "unreadable"),
        ("-Infinity", "-Infinity", "unreadable"),
        ("1e999", "1e999", "unreadable"),
        ("9" * 5000, "9" * 5000, "unreadable"),
        ("[" * 300 + "]" * 300, "[" * 300 + "]" * 300, "unreadable"),
        ('"\\ud800"', "\ud800", "unreadable"),
        ('"\\u001b[2J"', "\x1b[2J", "unreadable"),
    ],
)
def test_json(answer: str, text: str | None, verdict: str) -> None:
    found = read_json("ada.json", "ada", f'{{" d": {{"s ": {answer}, "q": 80}}}}')
    assert found.given[0].text == text
    assert (found.given[0].question, found.given[0].quantity) == ("d", "s")
    marked = GRADER.grade(found)
    assert (verdicts(marked)["s"], verdicts(marked)["q"]) == (verdict, "correct")


def test_a_key_that_is_repeated() -> None:
    found = GRADER.grade(read_json("ada.json", "ada", '{"d": {"s": 9, "s": 9, "q": 80}, "d": {"q": 80, "dq/ds": 18}}'))
    assert verdicts(found) | {"s": "unreadable", "q": "unreadable", "dq/ds": "correct"} == verdicts(found)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is not JSON: line 1: "),
        ("{\n", "it is not JSON: line 2: "),
        ("[]", "it is no object"),
        ("3", "it is no object"),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"d": ' * 100_000, "it is nested too deeply"),
    ],
)
def test_what_is_not_json(text: str, why: str) -> None:
    found = read_json("ada.json", "ada", text)
    assert found.unreadable.startswith(why)
    assert set(verdicts(GRADER.grade(found)).values()) == {"unreadable"}


def test_json_of_the_wrong_form() -> None:
    found = read_json("ada.json", "ada", '{"d": {"s": 9}, "e": 4, "f": [1]}')
    assert found.given == (Given("d", "s", "9"),)
    assert found.remarks == ("e holds no answers by quantity", "f holds no answers by quantity")


CLASS = """\
Timestamp,Student,Question,Quantity,Answer
1,ada,d,s,9
2,bob,d,s,8
3,ada,d,q,"80"
4,ada,d,dq/ds,
,,,,
5,bob,d,q,"[1, 2]"
6,eve
"""


def answers(found: list[Submission]) -> dict[str, list[tuple[str, str | None]]]:
    return {submission.student: [(g.quantity, g.text) for g in submission.given] for submission in found}


EXPECTED = {
    "ada": [("s", "9"), ("q", "80"), ("dq/ds", None)],
    "bob": [("s", "8"), ("q", "[1, 2]")],
    "eve": [("", None)],
}


@pytest.mark.parametrize(
    "content",
    [
        CLASS.encode(),
        CLASS.replace("\n", "\r\n").encode("utf-8-sig"),
        CLASS.replace("[1, 2]", "[1; 2]").replace(",", ";").replace("[1; 2]", "[1, 2]").encode(),
        CLASS.replace("[1, 2]", "[1; 2]").replace(",", "\t").replace("[1; 2]", "[1, 2]").encode("utf-16"),
        CLASS.replace("Student,Question", " STUDENT , question").encode(),
        CLASS.replace("Answer\n", "Answer,Comment\n").encode(),
    ],
    ids=["plain", "windows", "semicolons", "excel", "header", "columns"],
)
def test_a_class(tmp_path: Path, content: bytes) -> None:
    found = from_file(tmp_path / "class.csv", content)
    assert answers(found) == EXPECTED
    assert {submission.file for submission in found} == {str(tmp_path / "class.csv")}


def test_columns_in_another_order(tmp_path: Path) -> None:
    text = "answer,quantity,question,student\n9,s,d,ada\n"
    assert one(tmp_path / "class.csv", text).given == (Given("d", "s", "9"),)


def test_a_class_without_students_is_one_student(tmp_path: Path) -> None:
    found = one(tmp_path / "ada.csv", "question,quantity,answer\nd,s,9\nd,q,80\n")
    assert (found.student, len(found.given)) == ("ada", 2)


@pytest.mark.parametrize(
    "text", ["", "student,question\nada,d\n", "a,b,c,d\n", "\n\n", "student question quantity answer"]
)
def test_columns_that_are_missing_are_named(tmp_path: Path, text: str) -> None:
    found = one(tmp_path / "class.csv", text)
    assert found.unreadable.startswith("its first line has student, question, quantity, answer, and ")
    assert "answer is not there" in found.unreadable


def test_rows_without_a_student(tmp_path: Path) -> None:
    ada, nobody = from_file(tmp_path / "class.csv", "student,question,quantity,answer\nada,d,s,9\n,d,s,9\n")
    assert (ada.student, nobody.student, nobody.remarks) == ("ada", NOBODY, ("the column student is empty",))


def test_a_quote_out_of_order_costs_one_row(tmp_path: Path) -> None:
    found = from_file(tmp_path / "class.csv", 'student,question,quantity,answer\nada,d,s,"9\nbob,d,s,"9"9\neve,d,s,9\n')
    assert [submission.student for submission in found] == ["ada", "bob", "eve"]
    assert found[2].given == (Given("d", "s", "9"),)


def test_a_cell_of_several_lines(tmp_path: Path) -> None:
    text = 'student,question,quantity,answer\nada,d,Z,"[[1, 2],\n[3, 4]]"\nada,d,note,"say ""hm"""\n'
    assert answers(from_file(tmp_path / "class.csv", text)) == {
        "ada": [("Z", "[[1, 2],\n[3, 4]]"), ("note", 'say "hm"')]
    }


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
@example('"')
@example('student,question,quantity,answer\n"\r"')
def test_any_text_is_a_class(text: str) -> None:
    from gradcli.homework.submission.submissions import of_class

    for submission in of_class("class.csv", "class", text):
        assert list(verdicts(GRADER.grade(submission))) == ASKED


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "it is not UTF-8 text: save it as a text file, UTF-8"),
        (b"[d]\ns = 9\x00", "it is binary data, not text"),
        (b"[d]\ns = \xe9", "it is not UTF-8 text: save it as a text file, UTF-8"),
        (b"\xff\xfe[\x00d", "it is not UTF-8 text: save it as a text file, UTF-8"),
    ],
)
@pytest.mark.parametrize("suffix", [".txt", ".json", ".csv"])
def test_what_is_no_text(tmp_path: Path, content: bytes, why: str, suffix: str) -> None:
    found = one(tmp_path / f"ada{suffix}", content)
    assert (found.student, found.unreadable) == ("ada", why)
    result = GRADER.grade(found)
    assert set(verdicts(result).values()) == {"unreadable"}
    assert result.remarks == (why,)
    assert not result.is_right


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    assert one(tmp_path / "ada.txt", "[é]\n∂q/∂s = 4".encode(encoding)).given == (Given("é", "∂q/∂s", "4"),)


def test_a_hundred_megabytes(tmp_path: Path) -> None:
    for name, why in (("ada.txt", "100.0 MB, and a submission has 1 at most"), ("ada.json", "100.0 MB")):
        with (tmp_path / name).open("wb") as file:
            file.truncate(100 * 2**20)
        (found,) = submissions(tmp_path / name)
        assert why in found.unreadable


@pytest.mark.slow
@pytest.mark.parametrize("line", ["s = 9\n", "[", "s = (\n", "s = 9, [\n[\n", "=", "a\n", "s = (,", " ", "\r", "[d]\n"])
def test_time_grows_with_the_text_alone(line: str) -> None:
    """With the square of it, each would take hours."""
    assert list(verdicts(GRADER.grade(of_text("[d]\n" + line * 10_000)))) == ASKED


def test_no_file_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nothing")
    (tmp_path / "empty.txt").touch()
    found = {path.name: next(submissions(path)).unreadable for path in files_of([str(tmp_path)])}
    assert found["empty.txt"] == ""
    assert found["pipe.txt"] == "not a file"
    assert found["loop.txt"].startswith("it cannot be read: Too many levels")
    assert found["gone.txt"] == "it cannot be read: No such file or directory"
    assert next(submissions(Path("/dev/zero"))).unreadable == "not a file"
    assert next(submissions(Path("a" * 300 + ".txt"))).unreadable == "it cannot be read: File name too long"


def test_a_file_that_nobody_may_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ada.txt").touch()

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert next(submissions(tmp_path / "ada.txt")).unreadable == "it cannot be read: Permission denied"


def test_the_files_of_folders(tmp_path: Path) -> None:
    for name in ("b.txt", "a.json", "sub/deep/c.csv", "sub/D.TXT", ".hidden.txt", ".git/x.txt", "notes.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    found = [str(path.relative_to(tmp_path)) for path in files_of([str(tmp_path), str(tmp_path / "b.txt")])]
    assert found == ["a.json", "b.txt", "notes.md", "sub/D.TXT", "sub/deep/c.csv"]


def test_files_of_other_kinds_are_told_and_may_be_named(tmp_path: Path) -> None:
    for name in ("ada.txt", "bob.docx", "cy.pdf", "dan.odt", "eve.png"):
        (tmp_path / name).write_text("[d]\ns = 9\n")
    with pytest.warns(UserWarning, match=r"^not graded: bob.docx, cy.pdf, dan.odt and 1 more \(the files of a folder"):
        assert [path.name for path in files_of([str(tmp_path)])] == ["ada.txt"]
    (named,) = files_of([str(tmp_path / "bob.docx")])
    assert next(submissions(named)).given == (Given("d", "s", "9"),)


def test_what_is_not_there_is_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (named,) = files_of([str(tmp_path / "nobody.txt")])
    (submission,) = submissions(named)
    assert (submission.student, submission.unreadable) == ("nobody", "it cannot be read: No such file or directory")
    with pytest.raises(UsageError, match="standard input"):
        files_of(["-"])

    def refuse(path: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(UsageError, match="Permission denied"):
        files_of([str(tmp_path)])


def test_students_of_several_folders() -> None:
    files = [Path("ada_1/answers.txt"), Path("bob_2/answers.txt"), Path("eve.txt")]
    assert students_of(files) == ["ada_1/answers.txt", "bob_2/answers.txt", "eve"]
