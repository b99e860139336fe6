"""Every fault in `batch` and in `check`, once, with the same seed each time; and each law refuses what breaks it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from tests.faults import laws
from tests.faults.commands import COMMANDS, FOLDER, JSON, LINES, XML, Command
from tests.faults.fault import Fault
from tests.faults.running import Outcome
from tests.faults.session import FAULTS, GROUPS, Session
from tests.programs import some

SEED = 1
FEW = [  # of the commands, which have every shape, both numbers of processes, files and pipes
    command
    for command in COMMANDS
    if str(command).endswith((
        "--jobs 1 -i points.csv -o results.csv.gz",
        "--each --jobs 3 --format jsonl < programs.jsonl | reader",
        "answers --jobs 1 --report gradescope -o reports/",
        "answers --jobs 3 --report junit -o grades.xml",
        "check - answers --jobs 1 --json < week1.toml | reader",
    ))
]  # fmt: skip
# Every fault in every group, the groups in turn first; `python -m tests.faults` tries all of them at many seeds.
TURNS = [(kind, (*GROUPS, *GROUPS)[n % len(GROUPS) + k]) for n, kind in enumerate(FAULTS) for k in range(len(GROUPS))]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return Session(tmp_path_factory.mktemp("faults"), FEW, part=4)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "group"), some(TURNS, len(GROUPS)), ids=lambda one: getattr(one, "name", one))
def test_no_fault_breaks_a_law(session: Session, kind: type[Fault], group: str) -> None:
    run = session.run(kind, group, SEED, 0)
    assert run.complaints == [], run.command


def test_there_are_commands_for_every_fault() -> None:
    for commands in (FEW, COMMANDS):
        for kind in FAULTS:
            assert {command.group for command in commands if kind.suits(command)} == set(GROUPS), kind
    assert len({str(command) for command in COMMANDS}) == len(COMMANDS)
    assert {command.shape for command in FEW} == {LINES, JSON, XML, FOLDER}


def command(shape: str, output: str = "") -> Command:
    return Command(("check",), shape, (), output)


def outcome(code: int = 1, error: bytes = b"", **results: bytes) -> Outcome:
    return Outcome(code, error, {name.replace("_", "."): data for name, data in results.items()})


ROWS = [b"student,score\n", b"s01,1\n", b"s02,2\n"]
TEXT = b"".join(ROWS)
STUDENTS = [{"student": "s01", "reason": None}, {"student": "s02", "reason": None}]
LOST = {"student": "s02", "reason": "crash", "remark": "grading it crashed"}


def document(*students: Mapping[str, str | None]) -> bytes:
    return json.dumps({"submissions": students}).encode()


def partial() -> Iterator[tuple[Command, Outcome, bytes, bool]]:
    """A command, its right outcome, what is there, and whether it may be."""
    lines, plain = command(LINES, "a.csv"), outcome(a_csv=TEXT)
    yield from ((lines, plain, TEXT[:end], end in (0, 14, 20, 26)) for end in range(len(TEXT) + 1))
    yield lines, plain, ROWS[1], False
    yield lines, plain, TEXT + b"s03,3\n", False
    xml, whole = command(XML, "a.xml"), outcome(a_xml=TEXT)
    yield from ((xml, whole, text, text == TEXT) for text in (b"", ROWS[0], TEXT))
    packed, member = command(LINES, "a.gz"), gzip.compress(ROWS[0])
    full = member + gzip.compress(b"".join(ROWS[1:]))
    yield from ((packed, outcome(a_gz=full), text, True) for text in (b"", member, full))
    yield from ((packed, outcome(a_gz=full), full[:end], False) for end in (1, len(member) - 1, len(full) - 1))
    yield packed, outcome(a_gz=full), gzip.compress(TEXT[:5]), False


def test_partial_results() -> None:
    for one, right, data, may_be in partial():
        (name,) = right.results
        assert (list(laws.partial(one, right, replace(right, results={name: data}))) == []) == may_be, data
        assert list(laws.partial(one, right, replace(right, results={name: right.results[name], "x.part": b""})))


def test_standard_output_may_be_cut_and_folders_may_lack_reports() -> None:
    right = Outcome(1, b"", {"-": TEXT})
    for end in range(len(TEXT) + 1):
        assert list(laws.partial(command(LINES), right, Outcome(1, b"", {"-": TEXT[:end]}))) == []
    assert list(laws.partial(command(LINES), right, Outcome(1, b"", {"-": TEXT[1:]})))
    folder = command(FOLDER, "r/")
    reports = Outcome(1, b"", {"r/s01.json": b"{}", "r/s02.json": b"[]"})
    assert list(laws.partial(folder, reports, Outcome(1, b"", {"r/s02.json": b"[]"}))) == []
    assert list(laws.partial(folder, reports, Outcome(1, b"", {"r/s02.json": b"["})))
    assert list(laws.partial(folder, reports, Outcome(1, b"", {"r/s03.json": b""})))


@pytest.mark.parametrize(
    ("found", "may_be"),
    [
        (outcome(130), True),
        (outcome(130, b"error[E011]: cannot write\n"), True),
        (outcome(1, b"Traceback (most recent call last):\n"), False),
        (outcome(1, b"Exception ignored in: <function>\n"), False),
        (outcome(70, b"error[E900]: a bug in gradcli\n"), False),
        (Outcome(None, b"", {}), False),
        (Outcome(0, b"", {}, {12}), False),
    ],
)
def test_orderly_ends(found: Outcome, may_be: bool) -> None:
    assert (list(laws.orderly(found)) == []) == may_be


@pytest.mark.parametrize(
    ("found", "may_be"),
    [
        (Outcome(1, b"", {"-": document(*STUDENTS)}), True),
        (Outcome(1, b"", {"-": document(STUDENTS[0], LOST)}), True),
        (Outcome(1, b"", {"-": document(STUDENTS[0], {**LOST, "remark": ""})}), False),
        (Outcome(1, b"", {"-": document(LOST, LOST)}), False),
        (Outcome(1, b"", {"-": document(LOST, STUDENTS[0])}), False),
        (Outcome(1, b"", {"-": document(STUDENTS[0])}), False),
        (Outcome(1, b"", {"-": document(*STUDENTS, STUDENTS[1])}), False),
        (Outcome(3, b"", {"-": document(*STUDENTS)}), False),
    ],
)
def test_one_item_may_be_lost(found: Outcome, may_be: bool) -> None:
    right = Outcome(1, b"", {"-": document(*STUDENTS)})
    assert (list(laws.but_for_one(command(JSON), right, found)) == []) == may_be


def test_everything_is_there() -> None:
    right = outcome(1, b"note\n", a_csv=TEXT)
    assert list(laws.complete(right, right)) == []
    for other in (outcome(0, b"note\n", a_csv=TEXT), outcome(1, b"", a_csv=TEXT), outcome(1, b"note\n")):
        assert list(laws.complete(right, other))
    assert list(laws.complete(right, outcome(1, b"note\n", a_csv=TEXT[:-1])))
    last = command(LINES, "a.csv")
    assert list(laws.but_for_last(last, right, outcome(a_csv=TEXT[:-2]))) == []
    assert list(laws.but_for_last(last, right, outcome(a_csv=ROWS[0] + ROWS[2] + ROWS[1])))
