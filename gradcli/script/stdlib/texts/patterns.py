"""`re`: Python's own patterns, whose search the limits can interrupt."""

from __future__ import annotations

import re
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.tables import describe, fields, listed
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.python.values.special import exact

SEARCHES = ("match", "search", "fullmatch", "split", "findall")
FLAGS = "I IGNORECASE M MULTILINE S DOTALL X VERBOSE A ASCII"
PIECE = 60  # bytes of a short text


def sub(pattern: re.Pattern[str], repl: Any, string: str, count: int = 0) -> str:
    """Replace the matches in a text."""
    return subn(pattern, repl, string, count)[0]


def subn(pattern: re.Pattern[str], repl: Any, string: str, count: int = 0) -> tuple[str, int]:
    """Replace the matches, measured after each; return the text and how many there were."""
    pieces: list[str] = []
    end = length = times = 0
    for match in pattern.finditer(string):
        running.machine.budget.spend(1)
        new = repl(match) if callable(repl) else expand(match, repl)
        pieces += [string[end : match.start()], new]
        end, length, times = match.end(), length + len(new), times + 1
        running.machine.budget.fits(length, "the text")
        if times == count:
            break
    return "".join([*pieces, string[end:]]), times


def finditer(pattern: re.Pattern[str], string: str) -> Any:
    """Yield the matches one by one."""
    for match in pattern.finditer(string):
        running.machine.budget.spend(1)
        yield match


def _searching(name: str) -> Any:
    def search(pattern: re.Pattern[str], string: str, *rest: Any, **named: Any) -> Any:
        running.machine.budget.fits(len(string), "the pieces", PIECE)
        return getattr(re.Pattern, name)(pattern, string, *rest, **named)

    return search


METHODS: dict[str, Any] = {name: _searching(name) for name in SEARCHES}
METHODS |= {"sub": sub, "subn": subn, "finditer": finditer}


def compiled(pattern: Any, flags: Any = 0) -> re.Pattern[str]:
    """`re.compile`, whose cache outlives the snippet: of plain texts alone."""
    pattern = exact(pattern) if isinstance(pattern, str) else pattern
    return re.compile(pattern, int(flags) if type(flags) is not re.RegexFlag else flags)


def escape(pattern: str) -> str:
    """`re.escape`."""
    return re.escape(exact(pattern))


def _of_module(method: Any) -> Any:
    """Wrap a method for the module, `re.sub(pattern, ...)`: the pattern may be a text."""

    def call(pattern: Any, *arguments: Any, flags: Any = 0, **named: Any) -> Any:
        return method(compiled(pattern, flags), *arguments, **named)

    return call


def expand(match: re.Match[str], template: str) -> str:
    """Fill a template with the groups of a match."""
    running.machine.budget.fits(len(template) * (1 + len(match.group())), "the text")
    return match.expand(exact(template))


describe(re.Pattern, methods=METHODS, getters=fields("pattern groups"))
describe(
    re.Match,
    methods=listed(re.Match, "group groups groupdict start end span") | {"expand": expand},
    getters=fields("string pos endpos lastindex lastgroup"),
)


def namespace(name: str) -> Namespace:
    """`re`."""
    members: dict[str, Any] = {word: _of_module(method) for word, method in METHODS.items()}
    members |= {
        **listed(re, FLAGS),
        "compile": compiled,
        "escape": escape,
        "error": TYPES.setdefault(re.error, BuiltinType("error", re.error, re.error, module="re")),
        "Pattern": TYPES.setdefault(re.Pattern, BuiltinType("Pattern", re.Pattern, module="re")),
        "Match": TYPES.setdefault(re.Match, BuiltinType("Match", re.Match, module="re")),
    }
    return Namespace(name, members)
