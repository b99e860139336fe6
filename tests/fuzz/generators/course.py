"""Courses: the hand-ins of the samples, mutated, as each system lays them out, with rosters, sheets and corrections."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random

from tests.fuzz import words
from tests.fuzz.case import Case
from tests.fuzz.generators.mutation import HOSTILE, damaged, mutated
from tests.fuzz.generators.options import mixed, options

FOLDER = words.SAMPLES / "course"
HAND_INS = ("moodle", "folders", "canvas", "gradescope", "week-2-submissions")
NAMES = ["answers.txt", "week.md", "week", "answers.json", "A B.TXT", "answers.html", "a.csv", "README.md", "..txt"]
REPORTS = ["gradescope", "check50", "junit", "csv", "mistakes", "items", "similar", "prairielearn", "canvas", "moodle"]
WITHOUT = [
    "--jobs", "--lint", "--key", "--output", "--report", "--roster", "--variants", "--handout", "--secret-file",
    "--no-simplify", "--standalone", "--allow-lower", "--layout", "--attempts", "--overrides", "--against", "--format",
]  # fmt: skip
Files = list[tuple[str, bytes]]


@dataclass(frozen=True)
class Week:
    """An assignment with its sheets, and what students have handed in."""

    assignment: str
    sheets: str
    hand_ins: tuple[str, ...]


@dataclass(frozen=True)
class Student:
    id: str
    name: str
    user: str


Handed = Sequence[tuple[Student, bytes]]


@cache
def weeks() -> tuple[Week, ...]:
    """The weeks of the sample course, and each question of them alone."""
    texts = [path.read_text(encoding="utf-8") for top in HAND_INS for path in sorted((FOLDER / top).rglob("*.*"))
             if path.is_file() and path.suffix in (".txt", ".md", ".html", ".json")]  # fmt: skip
    found = []
    for name in ("week1", "week2"):
        text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
        document = json.loads((FOLDER / "sheets" / name / "variants.json").read_text(encoding="utf-8"))
        head, *questions = re.split(r"(?=^\[\[question\]\])", text, flags=re.MULTILINE)
        for some in (questions, *([one] for one in questions)):
            ids = re.findall(r'^id = "(\w+)"', "".join(some), re.MULTILINE)
            students = [{**one, "values": {id: one["values"][id] for id in ids}} for one in document["students"]]
            sheets = {**document, "assignment": {**document["assignment"], "questions": ids}, "students": students}
            own = tuple(one for one in texts if ids[0] in one)
            found.append(Week(head + "".join(some), json.dumps(sheets), own))
    return tuple(found)


@cache
def students() -> tuple[Student, ...]:
    rows = (FOLDER / "roster.csv").read_text(encoding="utf-8").split("\n")[1:]
    return tuple(Student(id, name, user) for id, name, _, user in (row.split(",") for row in rows if row))


def case(random: Random) -> Case:
    week = random.choice(weeks())
    handed_in = [(one, hand_in(random, week)) for one in random.sample(students(), random.choice([1, 2, 2, 3, 5]))]
    layout = random.choice(list(LAYOUTS))
    files = [(strange(random, name), content) for name, content in LAYOUTS[layout](random, handed_in)]
    files += beside(random, week, handed_in)
    given = sorted(
        {name.partition("/")[0] for name, _ in files if "/" in name} | {n for n, _ in files if n == "class.csv"}
    )
    chosen = ["--variants", "variants.json"] * (random.random() < 0.95)
    chosen += ["--roster", "roster.csv"] * (random.random() < 0.6)
    chosen += ["--layout", random.choice([layout, *list(LAYOUTS)[:-1]])] * (random.random() < 0.15)
    chosen += ["--attempts", random.choice(["best", "last"])] * (random.random() < 0.3)
    chosen += ["--overrides", "overrides.toml"] * (random.random() < 0.15)
    chosen += ["--against", "old.json", *["--allow-lower"] * (random.random() < 0.8)] * (random.random() < 0.1)
    chosen += random.choice([["--json"], ["--report", random.choice(REPORTS)], ["-o", "out/"], [], ["--all"]])
    if random.random() < 0.2:
        chosen += options(random, "check", without=WITHOUT)
    return Case("course", mixed(random, "check", ["week.toml", *given], chosen), tuple(dict(files).items()))


def beside(random: Random, week: Week, handed: Handed) -> Files:
    """The assignment and the files of the teacher, of which one may be at fault."""
    texts = {
        "week.toml": week.assignment,
        "variants.json": week.sheets,
        "roster.csv": (FOLDER / "roster.csv").read_text(encoding="utf-8"),
        "overrides.toml": corrections(random, week, handed),
        "old.json": before(week),
    }
    if random.random() < 0.12:
        wrong = random.choice(list(texts))
        texts[wrong] = mutated(random, texts[wrong], list(texts.values()), 2)
    return [(name, text.encode("utf-8", "surrogatepass")) for name, text in texts.items()]


def before(week: Week) -> str:
    """The document of an earlier run, as far as a later one reads it."""
    document = json.loads(week.sheets)
    questions = document["assignment"]["questions"]
    answers = [{"question": one, "quantity": "loss", "verdict": "wrong", "points": 0.5} for one in questions]
    graded = [
        {"student": one.id, "score": 0.5 * number, "answers": answers} for number, one in enumerate(students()[:4])
    ]
    about = {"title": "", "file": "week.toml", "questions": [{"id": one} for one in questions]}
    return json.dumps({"schema": "gradcli.check/1", "assignment": about, "submissions": graded})


def corrections(random: Random, week: Week, handed: Handed) -> str:
    """Points set by hand for one of the students."""
    who, _ = random.choice(handed)
    question, quantity = random.choice([("diamond", "dq/ds"), ("neuron", "a"), ("layer", "z"), ("loop", "w.grad")])
    known = [random.choice([who.id, who.name]), question if question in week.assignment else "nobody", quantity]
    lines = [
        f"{key} = {json.dumps(value)}" for key, value in zip(("student", "question", "quantity"), known, strict=True)
    ]
    return "\n".join(["[[override]]", *lines, f"points = {random.choice([0, 0.5, 1, 1, 9])}"])


def hand_in(random: Random, week: Week) -> bytes:
    """The content of a file that a student has handed in."""
    text = random.choice(week.hand_ins)
    if random.random() < 0.8:
        text = mutated(random, text, week.hand_ins, random.choice([1, 2, 6]))
    if random.random() < 0.1:
        text = random.choice([html.escape(text).replace("\n", "<br>"), f"```\n{text}\n```", text.replace(".", ",")])
    data = text.encode(random.choice(["utf-8"] * 9 + ["utf-16", "utf-8-sig", "cp1252"]), "replace")
    return damaged(random, data) if random.random() < 0.1 else data


def strange(random: Random, name: str) -> str:
    """The name of a file, now and then another that a file system takes."""
    if random.random() > 0.04:
        return name
    folder, slash, last = name.rpartition("/")
    changed = mutated(random, last, [*HOSTILE, *NAMES], 1).replace("/", "").replace("\0", "")
    short = changed.encode("utf-8", "ignore")[:200].decode("utf-8", "ignore")
    return f"{folder}{slash}{short if short.strip('.') else last}"


def file_name(random: Random) -> str:
    return random.choice(NAMES if random.random() < 0.2 else NAMES[:3])


def moodle(random: Random, handed: Handed) -> Files:
    separator = random.choice(["/", "/", "_"])
    kind = random.choice(["file", "file", "onlinetext"])
    last = "onlinetext.html" if kind == "onlinetext" else file_name(random)
    top = "moodle/{}_{}_assignsubmission_{}_{}{}"
    return [
        (top.format(who.name, 657000 + n, kind, separator.strip("_"), last), text)
        for n, (who, text) in enumerate(handed)
    ]


def canvas(random: Random, handed: Handed) -> Files:
    found = []
    for number, (who, text) in enumerate(handed):
        letters = "".join(reversed(who.name.lower().split()))
        late, again = "LATE_" * (random.random() < 0.2), random.choice(["", "", "-1", "-2"])
        found.append((f"canvas/{letters}_{late}{8101 + number}_{90210 + number}_week{again}.txt", text))
        if again:
            found.append((f"canvas/{letters}_{8101 + number}_{90110 + number}_week.txt", handed[0][1]))
    return found


def gradescope(random: Random, handed: Handed) -> Files:
    found, metadata = [], "---\n"
    for number, (who, text) in enumerate(handed):
        metadata += f"submission_{number}:\n  :submitters:\n  - :name: {who.name}\n    :sid: '{who.id}'\n"
        metadata += f"    :email: {who.id}@example.org\n  :status: processed\n"
        found.append((f"gradescope/submission_{number}/{file_name(random)}", text))
    if random.random() < 0.3:
        metadata = mutated(random, metadata, HOSTILE, 2)
    return [*found, ("gradescope/submission_metadata.yml", metadata.encode("utf-8", "surrogatepass"))]


def github(random: Random, handed: Handed) -> Files:
    name = file_name(random)
    clones = [(f"week-submissions/week-{who.user}/", text) for who, text in handed]
    return [pair for top, text in clones for pair in ((f"{top}{name}", text), (f"{top}README.md", b"# Week\n"))]


def folders(random: Random, handed: Handed) -> Files:
    name, attempt = file_name(random), random.choice(["", "", "attempt_2/"])
    return [(f"folders/{who.id}/{attempt}{name}", text) for who, text in handed]


def plain(random: Random, handed: Handed) -> Files:
    ending = random.choice([".txt", ".txt", ".json", ".md", "_attempt2.txt"])
    return [(f"plain/{random.choice([who.id, who.name])}{ending}", text) for who, text in handed]


def table(random: Random, handed: Handed) -> Files:
    """One file for all, as the export of a form is."""
    separator = random.choice([",", ",", ";", "\t"])
    rows = [[random.choice(["student", "id", "name", "email"]), "question", "quantity", "answer"]]
    for who, data in handed:
        question = ""
        for line in data.decode("utf-8", "replace").splitlines():
            heading, answer = re.fullmatch(r"\[(\w+)\]", line), re.fullmatch(r"([^=]+?) *= *(.*)", line)
            question = heading[1] if heading else question
            rows += [[who.id, question, *answer.groups()]] if answer else []
    quoted = [[f'"{cell}"' if separator in cell else cell for cell in row] for row in rows]
    text = "\n".join(separator.join(row) for row in quoted)
    return [
        ("class.csv", (mutated(random, text, HOSTILE) if random.random() < 0.3 else text).encode("utf-8", "replace"))
    ]


LAYOUTS: dict[str, Callable[[Random, Handed], Files]] = {
    "moodle": moodle, "canvas": canvas, "gradescope": gradescope, "github": github, "folders": folders, "plain": plain,
    "table": table,
}  # fmt: skip
