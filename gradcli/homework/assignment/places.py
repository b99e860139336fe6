"""TOML with the places of its keys and values, which tomllib does not keep."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from gradcli.errors import UsageError
from gradcli.facts import dataclass
from gradcli.source import Source, Span, did_you_mean

Path = tuple[str | int, ...]  # such as ("question", 0, "at", "x")

LARGEST = 2**20  # characters of an assignment
DEEPEST = 16  # parts of a key: tomllib takes memory by the square of their number

STRING = r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\])*"|\'[^\']*\''
PART = rf"(?:{STRING}|[\w-]+)"
KEY = re.compile(rf"{PART}(?:[ \t]*\.[ \t]*{PART})*", re.DOTALL)
VALUE = re.compile(rf"{STRING}|[^,\]}}#\r\n]*[^,\]}}#\s]", re.DOTALL)
WHOLE = f"(?>{PART})"  # never tried at another length, which would take the square of the time
DEEP_KEY = re.compile(rf"{WHOLE}(?:[ \t]*\.[ \t]*{WHOLE}){{{DEEPEST},}}|(?P<other>{STRING}|#[^\n]*|[\w-]+)", re.DOTALL)
SKIPPED = re.compile(r"(?:\s|#[^\n]*)*")
LITERAL = re.compile(r"\r\n|.", re.DOTALL)
CHARACTER = re.compile(
    r"(?P<none>\\[ \t]*\r?\n\s*)|\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|\r\n|.", re.DOTALL
)  # one character of a text, as it is written
CLOSING = {"[": "]", "{": "}"}


def read_table(source: Source) -> dict[str, Any]:
    """Read TOML. Raises UsageError, with the place, for any other text, and for one that is too large or too deep."""
    check_limits(source)
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        what, _, place = str(error).partition(" (at ")
        match = re.match(r"line (\d+), column (\d+)", place)
        start = source.offset(int(match[1])) + int(match[2]) - 1 if match else len(source.text)
        message, span = f"this is not TOML: {what[:1].lower()}{what[1:]}", Span(start, start + 1)
        help = "texts stand in quotes, a program of several lines in triple quotes, a question under [[question]]"
        if what == "Cannot overwrite a value":
            help = "the name before the equals sign stands there already: remove one of the two"
        if "key" in what and source.text[start : start + 1].isalpha() and not source.text[start].isascii():
            help = f'a name with other letters than a to z stands in quotes: "{source.text[start]}" = 2'
    except (ValueError, RecursionError):  # limits of the interpreter
        match = re.search(r"[0-9_]{4000,}|(?:[\[{]\s*(?:[\w-]+\s*=\s*)?){100,}", source.text)
        message, span, help = "too many digits or brackets", Span(*match.span()) if match else Span(0, 1), "use fewer"
    raise refused(source, span, message, help)


def check_limits(source: Source) -> None:
    """Refuse a text that would take a machine's time or memory to read."""
    size = len(source.text)
    if size > LARGEST:
        raise refused(
            source,
            Span(LARGEST, LARGEST),
            f"this has {size:,} characters, and {LARGEST:,} are the limit",
            "use fewer digits",
        )
    if max(line.count(".") for line in source.text.split("\n")) < DEEPEST:
        return
    for match in DEEP_KEY.finditer(source.text):
        if match["other"] is None:
            raise refused(
                source,
                Span(*match.span()),
                f"a key has at most {DEEPEST} parts",
                "a name that holds dots stands in quotes",
            )


def refused(source: Source, span: Span, message: str, help: str) -> UsageError:
    return UsageError("E020", message, span=span, help=help, source=source)


class Places:
    """The places of keys and values in a text that tomllib has read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.keys: dict[Path, Span] = {}
        self.values: dict[Path, Span] = {}
        for path, key, value in scan(text):
            for end in range(1, len(path) + 1):
                self.keys.setdefault(path[:end], key)
            if value is not None:
                self.values[path] = value

    def key(self, *path: str | int) -> Span:
        """Return the place of a key, or of the table that it belongs into."""
        while path and path not in self.keys:
            path = path[:-1]
        return self.keys.get(path, Span(0, 0))

    def value(self, *path: str | int) -> Span:
        """Return the place of a value; else as `key`."""
        return self.values.get(path) or self.key(*path)

    def within(self, path: Path, span: Span) -> Span:
        """Return the place of a part of a text, whatever escapes it is written with; else as `value`."""
        written = self.value(*path)
        if self.text[written.start : written.start + 1] not in ("'", '"'):
            return written
        starts = offsets(self.text, written)
        return Span(*(starts[min(end, len(starts) - 1)] for end in span))


KINDS = {str: "a text in quotes", dict: "a table, such as { x = 2 }", bool: "true or false"}


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a file, which knows where it stands: what is wrong with it is told at that place."""

    values: Mapping[str, Any]
    source: Source
    places: Places
    path: Path = ()
    code: str = "E021"

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def get(self, key: str, usual: Any = None) -> Any:
        return self.values.get(key, usual)

    def inner(self, values: Mapping[str, Any], *path: str | int) -> Table:
        """Return a table that stands in this one."""
        return Table(values, self.source, self.places, (*self.path, *path), self.code)

    def refuse(self, message: str, help: str, *path: str | int) -> UsageError:
        """Return an error at the value of a key; of one that is not there, at the table."""
        return self.refuse_at(self.places.value(*self.path, *path), message, help)

    def refuse_key(self, message: str, help: str, *path: str | int) -> UsageError:
        """Return an error at a key, or at the table."""
        return self.refuse_at(self.places.key(*self.path, *path), message, help)

    def refuse_at(self, span: Span, message: str, help: str) -> UsageError:
        return UsageError(self.code, message, span=span, help=help, source=self.source)

    def known(self, known: Sequence[str], whose: str) -> None:
        """Refuse a key that is none of the known ones."""
        for key in self.values:
            if key not in known:
                close = did_you_mean(key, known)
                help = f"did you mean {close}?" if close else f"it has {', '.join(known)}"
                raise self.refuse_key(f"{whose} has no {key}", help, key)

    def typed(self, key: str, kind: type, usual: Any) -> Any:
        """Return the value of a key, which has a type of `KINDS`."""
        value = self.get(key, usual)
        if not isinstance(value, kind):
            raise self.refuse(f"{key} is {value!r:.40}", f"{key} is {KINDS[kind]}", key)
        return value

    def checked(self, key: str, usual: Any, is_right: Callable[[Any], bool], help: str, what: str = "") -> Any:
        """Return the value of a key, which passes a check; the `help` says what to write."""
        value = self.get(key, usual)
        if not is_right(value):
            raise self.refuse(f"{what or f'{key} is'} {value!r:.40}", help, key)
        return value

    def number(self, key: str, usual: float, below: float, help: str, what: str = "", *, is_open: bool = True) -> float:
        """Return a number from 0 to a limit, which it does not reach where it `is_open`."""

        def is_right(value: Any) -> bool:
            return type(value) in (int, float) and 0 <= value <= below and not (is_open and value == below)

        return float(self.checked(key, usual, is_right, help, what))

    def tolerance(self, *keys: str) -> dict[str, Any]:
        """Return what is said of these settings of a tolerance, by their names."""
        settings: dict[str, Any] = {}
        for key in keys:
            if key == "decimals" and self.get(key) is not None:
                help = "write decimals = 3, or another number from 0 to 15"
                settings[key] = self.checked(key, 0, lambda value: type(value) is int and 0 <= value <= 15, help)
            elif key != "decimals" and key in self:
                is_number = type(self.get(key)) in (int, float)
                help = f"write {key} = 1e-5, or another number from 0 to 1" if is_number else f"{key} is a number"
                settings[key] = self.number(key, 0, 1, help)
        return settings

    def texts(self, key: str, example: str) -> list[str]:
        """Return a list of texts."""

        def is_right(value: Any) -> bool:
            return isinstance(value, list) and all(isinstance(text, str) and text.strip() for text in value)

        return [" ".join(text.split()) for text in self.checked(key, [], is_right, f"write {key} = {example}")]


@dataclass(slots=True)
class _Open:
    """A bracket that is open: the value of `path`, `count` of its items are read."""

    sign: str
    path: Path
    key: Span
    start: int
    count: int = 0


def scan(text: str) -> Iterator[tuple[Path, Span, Span | None]]:
    """Yield every table, value and item: path, place of the key (an item is its own), place of the value at its end."""
    table: Path = ()
    counts: Counter[Path] = Counter()
    brackets: list[_Open] = []
    awaited: tuple[Path, Span] | None = None  # the key whose value comes next
    at = 0
    while (at := _skipped(text, at)) < len(text):
        sign, top = text[at], brackets[-1] if brackets else None
        if top and sign == CLOSING[top.sign]:
            at += 1
            yield top.path, top.key, Span(top.start, at)
            brackets.pop()
        elif top and sign == ",":
            top.count += 1
            at += 1
        elif awaited is None and top is None and sign == "[":
            wide = text.startswith("[[", at)
            key = _match(KEY, text, _skipped(text, at + 1 + wide))
            start, at = at, text.index("]", key.end) + 1 + wide
            table = _numbered(_names(text[slice(*key)]), counts, is_new=wide)
            yield table, Span(start, at), None
        elif awaited is None and (top is None or top.sign == "{"):
            key = _match(KEY, text, at)
            awaited = (*(top.path if top else table), *_names(text[slice(*key)])), key
            yield *awaited, None
            at = text.index("=", key.end) + 1
        else:
            value = Span(at, at + 1) if sign in CLOSING else _match(VALUE, text, at)
            path, key = awaited or ((*top.path, top.count), value) if top else awaited or ((), value)
            if sign in CLOSING:
                brackets.append(_Open(sign, path, key, at))
            yield path, key, None if sign in CLOSING else value
            at, awaited = value.end, None


def offsets(text: str, written: Span) -> list[int]:
    """Return the offsets of the characters of a text in quotes, and of its end."""
    quotes = 3 if text.startswith(('"""', "'''"), written.start) else 1
    start, end = written.start + quotes, written.end - quotes
    if quotes == 3:  # the first newline is none
        start += 2 if text.startswith("\r\n", start) else int(text.startswith("\n", start))
    character = CHARACTER if text[written.start] == '"' else LITERAL
    matches = (match for match in character.finditer(text, start, end) if not (match.re is CHARACTER and match["none"]))
    return [*(match.start() for match in matches), end]


def _skipped(text: str, at: int) -> int:
    return _match(SKIPPED, text, at).end


def _match(pattern: re.Pattern[str], text: str, at: int) -> Span:
    match = pattern.match(text, at)
    return Span(*match.span()) if match else Span(at, at + 1)


def _names(key: str) -> Path:
    """The parts of a dotted key."""
    names: list[str] = []
    table = tomllib.loads(f"{key} = 0")
    while isinstance(table, dict):
        ((name, table),) = table.items()
        names.append(name)
    return tuple(names)


def _numbered(names: Path, counts: Counter[Path], *, is_new: bool) -> Path:
    """The path of a header: each array of tables with the number of its table, one more for a new one."""
    path: Path = ()
    for place, name in enumerate(names, 1):
        path = (*path, name)
        if is_new and place == len(names):
            counts[path] += 1
        if counts[path]:
            path = (*path, counts[path] - 1)
    return path
