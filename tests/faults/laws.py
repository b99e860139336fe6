"""What must hold of results, whatever went wrong: complaints, none where it does."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from itertools import zip_longest

from tests.faults.commands import FOLDER, JSON, LINES, XML, Command
from tests.faults.running import Outcome

UNSEEN = (b"Traceback", b"Exception ignored", b"E900", b"ForkProcess")  # what no user may see
REASON = re.compile(rb"takes more than|ended its process|too much memory|crashed")
STUDENT, NUMBER = re.compile(rb"\bs\d\d\b"), re.compile(rb'"id": (\d+)')
LOST = {"batch": 4, "check": 1}  # exit codes where an item is lost
BROKEN = (EOFError, OSError, zlib.error)


def orderly(outcome: Outcome) -> Iterator[str]:
    """It ends, with all its processes, and says nothing that only a programmer understands."""
    if outcome.code is None:
        yield "it does not end"
    if outcome.left:
        yield f"{len(outcome.left)} of its processes are left"
    for word in UNSEEN:
        if word in outcome.error:
            yield f"it says {word.decode()}: {outcome.error.decode(errors='replace')}"


def partial(command: Command, right: Outcome, outcome: Outcome) -> Iterator[str]:
    """A file has the beginning of the right results in whole lines, a document or a report all of it or nothing.

    A file of `batch` that is not whole is called `.part`. On standard output the last line may be cut.
    """
    for name, data in outcome.results.items():
        whole = right.results.get(name.removesuffix(".part"))
        if whole is None:
            yield f"there is a file {name}"
            continue
        if command.is_compressed:
            try:
                data, whole = gzip.decompress(data), gzip.decompress(whole)
            except BROKEN as error:
                yield f"{name} is no whole gzip file: {error!r}"
                continue
        if not whole.startswith(data):
            yield f"{name} is not the beginning of what is right, {difference(data, whole)}"
        elif name == "-" or data == whole:
            continue
        elif command.shape in (FOLDER, XML) or (command.words[0] == "batch" and not name.endswith(".part")):
            yield f"{name} has {len(data)} of {len(whole)} bytes"
        elif data and not data.endswith(b"\n"):
            yield f"{name} ends in the middle of a line: {data[-40:]!r}"


def complete(right: Outcome, outcome: Outcome) -> Iterator[str]:
    """Everything is there, as if nothing had happened."""
    for name in sorted(right.results.keys() | outcome.results.keys()):
        data, whole = outcome.results.get(name), right.results.get(name)
        if data is None:
            yield f"there is no {name}"
        elif whole is None:
            yield f"there is a file {name}"
        elif data != whole:
            yield f"{name} is not right, {difference(data, whole)}"
    if outcome.code != right.code:
        yield f"the exit code is {outcome.code}, not {right.code}"
    if outcome.error != right.error:
        yield f"it says {outcome.error!r}, not {right.error!r}"


def but_for_one(command: Command, right: Outcome, outcome: Outcome, *, is_told: bool = True) -> Iterator[str]:
    """Every item is there, in order and once; one may differ, for a reason that is told."""
    found, expected = items(command, outcome), items(command, right)
    if len(found) != len(expected):
        yield f"there are {len(found)} items, not {len(expected)}"
        return
    wrong = [(one, other) for one, other in zip(found, expected, strict=True) if one != other]
    if len(wrong) > 1:
        yield f"{len(wrong)} items differ, such as {wrong[-1][0]!r}, not {wrong[-1][1]!r}"
    for one, other in wrong:
        if who(one) != who(other):
            yield f"an item is {one!r}, not {other!r}"
        if is_told and not any(REASON.search(text) for text in (one, outcome.error, *outcome.results.values())):
            yield f"it does not say why an item is {one!r}, not {other!r}"
    if is_told and outcome.code != right.code and (outcome.code != LOST[command.group] or not outcome.error):
        yield f"the exit code is {outcome.code}, not {right.code}"


def but_for_last(command: Command, right: Outcome, outcome: Outcome) -> Iterator[str]:
    """The first items are right; the last one may differ, and one more where the name in the last row is cut."""
    found, expected = items(command, outcome), items(command, right)
    same = shared(found, expected)
    is_cut = bool(found) and who(found[-1]) not in map(who, expected)
    if len(found) > same + 1 + is_cut:
        yield f"{found[same]!r} is followed by other items; right is {expected[same : same + 1]}"


def items(command: Command, outcome: Outcome) -> list[bytes]:
    """What there is about each record or each student, in order."""
    if command.shape == FOLDER:
        return [name.encode() + data for name, data in sorted(outcome.results.items())]
    name = command.output or "-"
    data = outcome.results.get(name) or outcome.results.get(f"{name}.part", b"")  # as what is not whole is called
    if command.is_compressed:
        data = gzip.decompress(data)
    if command.shape == LINES:
        return data.splitlines(keepends=True)
    if command.shape == JSON:
        return [json.dumps(one).encode() for one in json.loads(data).get("submissions", [])]
    return list(dict.fromkeys(STUDENT.findall(data)))


def who(item: bytes) -> list[bytes]:
    """The student whom an item is about, or the number of a record."""
    return (STUDENT.findall(item) or NUMBER.findall(item))[:1]


def shared(found: list[bytes], expected: list[bytes]) -> int:
    """How many items are the same from the first on."""
    pairs = enumerate(zip_longest([*found, None], expected))
    return next(number for number, (one, other) in pairs if one != other or one is None)


def difference(data: bytes, whole: bytes) -> str:
    """Say how the data differ from the whole: the first lines that do, of which some may name the cause."""
    lines = zip_longest(data.split(b"\n"), whole.split(b"\n"))
    pairs = [(number, one or b"", other or b"") for number, (one, other) in enumerate(lines, 1) if one != other]
    return "; ".join(f"line {number}: {one[:200]!r}, not {other[:200]!r}" for number, one, other in pairs[:5])
