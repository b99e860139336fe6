"""Reads long programs in half of lark's time: lark's own tables and callbacks, without what only its errors need.

Lark counts lines and columns, and slices the stack for each of the rules that pass their one child on: six for a name.
A text that cannot be read is left to lark, whose error says where.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from lark.parse_tree_builder import ExpandSingleChild
from lark.parsers.lalr_analysis import Shift

from gradcli.language.grammar import expression_parser

END = "$END"


class Token(str):
    """The attributes of lark's tokens that the callbacks read."""

    __slots__ = ("end_pos", "start_pos", "type", "value")
    type: str
    value: str
    start_pos: int
    end_pos: int


class Shifting(NamedTuple):
    """Take a token and go to a state; its value is the token, or what the callback makes of it."""

    state: int
    callback: Callable[[Token], Any] | None
    rule: None = None
    size: int = 0


class Reducing(NamedTuple):
    """Replace the last `size` values by one, as a rule says; no callback where the rule passes its one child on."""

    state: None
    callback: Callable[[list[Any]], Any] | None
    rule: str
    size: int


@cache
def tables() -> tuple[dict[int, dict[str, Any]], int, int]:
    """Return what to do in each state for each kind of token, the first state and the last one."""
    parser = expression_parser().parser.parser.parser
    callbacks, table = parser.callbacks, parser.parse_table
    actions = {
        state: {
            kind: Shifting(target, callbacks.get(kind)) if action is Shift else reducing(target, callbacks[target])
            for kind, (action, target) in row.items()
        }
        for state, row in table.states.items()
    }
    return actions, table.start_states["program"], table.end_states["program"]


def reducing(rule: Any, callback: Any) -> Reducing:
    size = len(rule.expansion)
    passes_on = size == 1 and type(callback) is ExpandSingleChild
    return Reducing(None, None if passes_on else callback, rule.origin.name, size)


@cache
def passed_on(below: int, state: int, kind: str) -> int:
    """Return the state after all rules that pass on the child in a state, before a token of some kind."""
    actions = tables()[0]
    while True:
        action = actions[state].get(kind)
        if action is None or action.rule is None or action.callback is not None:
            return state
        state = actions[below][action.rule].state


@cache
def pattern() -> re.Pattern[str]:
    """Return the pattern of all tokens, in lark's order."""
    terminals = sorted(
        expression_parser().terminals, key=lambda x: (-x.priority, -x.pattern.max_width, -len(x.pattern.value), x.name)
    )
    return re.compile("|".join(f"(?P<{x.name}>{x.pattern.to_regexp()})" for x in terminals))


@cache
def ignored_tokens() -> frozenset[str]:
    """Return the kinds of tokens that stand in no rule: spaces and comments."""
    accepted = {kind for row in tables()[0].values() for kind in row}
    return frozenset(terminal.name for terminal in expression_parser().terminals) - accepted


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens, without newlines inside brackets; KeyError where there is none."""
    ignored, depth, place = ignored_tokens(), 0, 0
    for match in pattern().finditer(text):
        kind, start = str(match.lastgroup), place
        if match.start() != place:
            break
        place = match.end()
        if kind in ignored or (depth and kind == "_NEWLINE"):
            continue
        if kind in ("LPAR", "LSQB"):
            depth += 1
        elif kind in ("RPAR", "RSQB"):
            depth -= 1
        yield token(kind, match[0], start, place)
    if place != len(text):
        raise KeyError(place)
    yield token(END, "", place, place)


def token(kind: str, text: str, start: int, end: int) -> Token:
    lark_token = Token(text)
    lark_token.type, lark_token.value, lark_token.start_pos, lark_token.end_pos = kind, text, start, end
    return lark_token


def statements(text: str) -> Any:
    """Return the statements of a program; KeyError where it cannot be read, or what a callback raises."""
    actions, state, end_state = tables()
    states, values = [state], list[Any]()
    row = actions[state]
    for token in tokens(text):
        kind = token.type
        while True:
            target, callback, rule, size = row[kind]
            if rule is None:
                states.append(target)
                row = actions[target]
                values.append(token if callback is None else callback(token))
                break
            if callback is None:
                states[-1] = passed_on(states[-2], states[-1], kind)
                row = actions[states[-1]]
                continue
            first = len(values) - size
            values[first:] = [callback(values[first:])]
            del states[len(states) - size :]
            target = actions[states[-1]][rule].state
            states.append(target)
            row = actions[target]
            if target == end_state and kind == END:
                break
    return values[-1]
