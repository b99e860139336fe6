"""A case: one command line with its files; its outcome, and the judgement of the one by the other."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jsonschema

from gradcli.commands.forms import asked
from tests.commands.running import validator

MOST_MEMORY = 2**30  # bytes that a case may add to the peak of its process
LONGEST_LINE, LONGEST_ERROR = 20_000, 200_000  # characters on standard error
LAWS = "laws"  # the command of a case that is judged by the laws of `tests.fuzz.laws`, in process
LIMIT = "limit"  # the end of a case that took too long, or too much
REFUSALS = (2, 3, 4)  # exit codes that come with an error
ELSEWHERE = {"--help", "-h", "--output", "-o"}  # with which no document is printed, or not here
JUDGES_NOTHING = "cannotbejudged"  # on a page of verify, which then exits with 3; in a narrow terminal a letter a line
LOOKS = re.compile(r"\x1b\[[\d;]*m|\s")
ANSWERS_NO = ("check", "verify")  # commands that may exit with 1

# They act on a terminal, or on the order of a line.
ACTING = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
CONTROL = re.compile(f"[{ACTING}\u200b-\u200d\u2060-\u206f\ufeff\ufff9-\ufffb]")  # and all that nobody sees
IN_JSON = re.compile(f"[{ACTING}]")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
BUG = re.compile(r"a bug in gradcli: (\w+) in (\S+):")
INSIDE = re.compile(r"gradcli\.[a-z]+\.[\w.]+|gradcli/\w+|(\w+)\.<locals>\.\w+")
CANARY = re.compile(r"^CANARY (.*)", re.MULTILINE)
TRACEBACK = "Traceback (most recent call last)"


@dataclass(frozen=True)
class Case:
    """A command line, the files that it finds (name and content), and its standard input.

    `columns` is the width of the terminal that standard output is; 0 where it is a file.
    """

    area: str
    argv: tuple[str, ...]
    files: tuple[tuple[str, bytes], ...] = ()
    stdin: bytes = b""
    columns: int = 0

    @property
    def command(self) -> str:
        return self.argv[0] if self.argv else ""

    def option(self, name: str) -> str | None:
        """The value that an option is given, None where it is not."""
        for place in reversed(range(len(self.argv))):
            before, equals, after = self.argv[place].partition("=")
            if before == name and (equals or place + 1 < len(self.argv)):
                return after if equals else self.argv[place + 1]
        return None

    def __str__(self) -> str:
        """The case as a person repeats it: files, standard input, command line."""
        parts = [f"{name}: {content!r}" for name, content in self.files]
        if self.stdin:
            parts.append(f"standard input: {self.stdin!r}")
        if self.columns:
            parts.append(f"in a terminal of {self.columns} columns")
        words = ("python", "-m", "tests.fuzz.laws", *self.argv[1:]) if self.command == LAWS else ("gradcli", *self.argv)
        return "\n".join([*parts, f"$ {shlex.join(words)}"])


@dataclass(frozen=True)
class Outcome:
    """An exit code, both streams, seconds of the processor, and bytes by which the peak of the memory grew.

    `end` says how the process was lost before it had an exit code: LIMIT, or a crash.
    """

    code: int = 0
    out: bytes = b""
    err: bytes = b""
    seconds: float = 0.0
    memory: int = 0
    end: str = ""

    @property
    def label(self) -> str:
        return self.end or f"exit {self.code}"


def fault(case: Case, outcome: Outcome) -> str | None:
    """Return what is wrong with an outcome, in words that are the same for every case of one fault; None if nothing."""
    if case.command == LAWS and not outcome.end:
        return outcome.out.decode().partition("\n")[0] if outcome.code == 1 else None
    if outcome.end:
        return outcome.end if outcome.end != LIMIT else None
    return next(faults(case, outcome), None)


def faults(case: Case, outcome: Outcome) -> Iterator[str]:
    try:
        out, err = outcome.out.decode(), outcome.err.decode()
    except UnicodeDecodeError:
        yield "output that is not UTF-8"
        return
    if found := CANARY.search(out):
        yield f"a snippet reached {found[1]}"
    if outcome.code == 70:
        bug = BUG.search(out + err)
        yield f"exit 70: {bug[1]} in {bug[2]}" if bug else "exit 70"
    if outcome.code not in (0, *REFUSALS, *(1,) * (case.command in ANSWERS_NO)):
        yield f"exit {outcome.code}"
    if TRACEBACK in (err if case.command == "run" else out + err) and "traceback" not in source_of(case):
        yield "a traceback"
    if case.command == "run" and (inside := part_of_gradcli(case, out + err)):
        yield f"the name of a part of gradcli: {inside}"
    if outcome.memory > MOST_MEMORY:
        yield "memory"
    if asked(case.argv) == "json":
        if out or not ELSEWHERE & {argument.partition("=")[0] for argument in case.argv}:
            code = 1 if outcome.code == 0 and "--exit-zero" in case.argv else outcome.code  # whose answer may be no
            yield from document_faults(out, code, case.area)
    elif outcome.code in REFUSALS and not err.strip() and JUDGES_NOTHING not in LOOKS.sub("", out):
        yield "a refusal without an error"
    if writes_json_lines(case):
        yield from lines_faults(case, out, outcome.code)
    yield from text_faults(case, out, err)


def part_of_gradcli(case: Case, text: str) -> str:
    """The name of a module or an inner function of gradcli in a text; empty where there is none."""
    own = set(re.findall(r"(?:def|class) +(\w+)", source_of(case)))
    return next((found[0] for found in INSIDE.finditer(text) if found[1] not in own), "")


def document_faults(out: str, code: int, area: str) -> Iterator[str]:
    """The faults of what should be one JSON document."""
    try:
        document = strict(out)
    except (ValueError, RecursionError) as error:
        yield f"no JSON document: {type(error).__name__}"
        return
    if not isinstance(document, dict) or not {"schema", "ok"} <= set(document):
        yield "a JSON document without schema and ok"
    elif code != 1 and document["ok"] is not (code == 0):
        yield f"exit {code} with ok {document['ok']}"
    elif area == "render" and (name := disagreement(document)):
        yield f"a document against its schema {name}"
    elif code in REFUSALS and document.get("error") and len(document["error"]["message"]) > LONGEST_LINE:
        yield "an error message of absurd length"


def disagreement(document: dict[str, Any]) -> str:
    """The name of the schema that a document does not follow; empty where it follows its own."""
    name = str(document["schema"]).removeprefix("gradcli.").partition("/")[0]
    try:
        validator(name).validate(document)
    except (KeyError, jsonschema.ValidationError):
        return name
    return ""


def lines_faults(case: Case, out: str, code: int) -> Iterator[str]:
    """The faults of what should be a JSON document a record."""
    lines = out.split("\n")
    if lines.pop():
        yield "a last line without an end"
    try:
        documents = [strict(line) for line in lines]
    except (ValueError, RecursionError) as error:
        yield f"no JSON Lines: {type(error).__name__}"
        return
    if not all(isinstance(one, dict) and type(one.get("ok")) is bool for one in documents):
        yield "a record without ok"
    elif documents and all(one["ok"] for one in documents) is not (code == 0):
        yield f"exit {code} of records that say otherwise"
    given = records_of(case)
    if lines and given is not None and len(lines) != len(given):
        yield "another number of records"


def strict(text: str) -> Any:
    return json.loads(text, parse_constant=_refuse)


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def writes_json_lines(case: Case) -> bool:
    return case.command == "batch" and not any(
        argument == "--json" or "csv" in argument or "-h" in argument for argument in case.argv
    )


def records_of(case: Case) -> list[bytes] | None:
    """The records that a batch reads to the end; None where that cannot be told from outside."""
    path = case.option("-i") or case.option("--input") or "-"
    data = case.stdin if path == "-" else dict(case.files).get(path)
    if data is None or path.endswith(".gz") or {"--fail-fast", "--max-errors"} & {*case.argv}:
        return None
    end = b"\n" if b"\n" in data or not re.search(rb"\r[^\r]", data) else b"\r"
    return [line for line in data.removeprefix(b"\xef\xbb\xbf").split(end) if line.strip()]


def text_faults(case: Case, out: str, err: str) -> Iterator[str]:
    """The faults of text for people: control characters, and errors that nobody reads to their end."""
    color = case.option("--color") or "auto"
    if color == "always" or (case.columns and color == "auto"):
        out, err = COLOUR.sub("", out), COLOUR.sub("", err)
    is_table = "csv" in " ".join(case.argv)
    shown = out.replace("\r\n", "\n") if is_table else out
    # A snippet prints what it wants to where no terminal is, and a table passes the row on as it stands.
    is_own = case.command == "run" and "--json" not in case.argv and not {"--quiet", "-q"} & set(case.argv)
    control = IN_JSON if asked(case.argv) == "json" or case.command == "batch" else CONTROL
    if not (is_own and not case.columns) and not (is_table and case.command == "batch") and control.search(shown):
        yield "a control character on standard output"
    if CONTROL.search(err) and not (case.command == "run" and "stderr" in source_of(case)):
        yield "a control character on standard error"
    if any(len(line) > LONGEST_LINE for line in err.split("\n")):
        yield "an error message of absurd length"
    if case.command != "batch" and len(err) > LONGEST_ERROR:
        yield "standard error of absurd length"


def source_of(case: Case) -> str:
    """The text of all that a case brings, to look for words in."""
    return b"\n".join([case.stdin, *(content for _, content in case.files)]).decode(errors="replace")
