"""Readable failures of the parser: the mistake, its place, and a correction.

Each check looks at the tokens around the place where the parser stopped and either knows the mistake or passes. The
first that knows it wins, so the order below matters: a misspelled token before a wrong structure, and brackets before
their contents.

    E101 unclosed bracket        E107 reserved word         E113 arguments and items
    E102 bracket never opened    E108 unknown character     E114 braces
    E103 brackets do not match   E109 number                E115 misplaced , or :
    E104 missing value or name   E110 unclosed string       E116 nothing to read
    E105 missing operator        E111 chained comparison    E117 more than one value
    E106 assignment              E112 unknown operator      E100 anything else
"""

from __future__ import annotations

import re

from gradcli.errors import ProgramSyntaxError
from gradcli.language.applications import check_application
from gradcli.language.spelling import check_spelling
from gradcli.language.tokens import CLOSERS, Place, Token, quoted
from gradcli.source import Source, Span

# Operators of other languages, as (written, what to type).
COMPOUND = {
    "++": "type '+ 1' to add one",
    "--": "type '- 1' to subtract one",
    "=<": "type '<='",
    "=>": "type '>='",
    "<>": "type '!='",
    "===": "type '=='",
    "!==": "type '!='",
    "***": "type '**' for a power",
    "*^": "type '**' for a power",
    "->": "type '=' to give a value a name",
    ":=": "type '=' to give a value a name",
    "<<": "type '2**n' for a power of two",
    ">>": "type '2**n' for a power of two",
}
EXAMPLE = "an expression is names, numbers and operators, as in 'z = (x1 + a*x2)**2'"


def diagnose(source: Source, offset: int) -> ProgramSyntaxError:
    """The error for a text that the parser could not read at `offset`."""
    place = Place(source, offset)
    for check in (
        check_spelling,
        _closer,
        _unclosed,
        _compound_operator,
        _chained_comparison,
        _assignment,
        _missing_value,
        check_application,
        _missing_operator,
        _punctuation,
    ):
        error = check(place)
        if error is not None:
            return error.at(source=source)
    return _error("E100", f"{place.token.shown} cannot stand here", place, "unexpected", EXAMPLE).at(source=source)


def _error(
    code: str, message: str, place: Place, label: str, help: str, span: Span | None = None
) -> ProgramSyntaxError:
    return ProgramSyntaxError(code, message, span=span or place.span, label=label, help=help)


def _closer(place: Place) -> ProgramSyntaxError | None:
    """A closing bracket that closes nothing, or not the bracket that is open."""
    closer = place.token
    if closer.kind != "close":
        return None
    opener = next(opener for opener, closing in CLOSERS.items() if closing == closer.text)
    if not place.open:
        advice = f"remove '{closer.text}', or open it with '{opener}'"
        return _error("E102", f"'{closer.text}' closes nothing", place, f"no '{opener}' is open here", advice)
    innermost = place.open[-1]
    expected = CLOSERS[innermost.text]
    if closer.text == expected:
        return None
    line, column = place.source.position(innermost.start)
    closes_outer = len(place.open) > 1 and CLOSERS[place.open[-2].text] == closer.text
    advice = f"type '{expected}' before '{closer.text}'" if closes_outer else f"type '{expected}' instead"
    label = f"expected '{expected}' for the '{innermost.text}' at {line}:{column}"
    return _error("E103", f"'{closer.text}' does not close '{innermost.text}'", place, label, advice)


def _unclosed(place: Place) -> ProgramSyntaxError | None:
    """A bracket still open at the end, or where the next statement visibly starts."""
    if not place.open:
        return None
    token, before = place.token, place.before
    opener = place.open[-1]
    closers = quoted("".join(CLOSERS[bracket.text] for bracket in reversed(place.open)))
    value = "" if before.ends_operand or before.kind in ("open", "comma", "colon") else "a value and "
    if token.kind == "end" and not token.text:
        what_follows, advice = "the end", f"add {value}'{closers}' at the end"
    elif token.kind == "end":
        what_follows, advice = f"'{token.text}'", f"add {value}'{closers}' before '{token.text}'"
    elif (token.first and token.starts_operand and before.ends_operand) or (token.kind == "equals" and before.first):
        last = before if token.first else place.at(place.index - 2)
        line = place.source.position(last.start).line
        what_follows, advice = "the next statement", f"add '{closers}' at the end of line {line}"
    else:
        return None
    label = f"expected '{CLOSERS[opener.text]}' before {what_follows}"
    return _error("E101", f"unclosed '{opener.text}'", place, label, advice, opener.span)


def _compound_operator(place: Place) -> ProgramSyntaxError | None:
    """An operator that other languages have: `x += 1`, `x++`, `x => y`, `x := 1`."""
    for index in (place.index - 1, place.index, place.index - 2):
        target, first, second = (place.at(index + step) for step in (-1, 0, 1))
        operator = first.text + second.text
        if first.end != second.start:
            continue
        advice = COMPOUND.get(operator)
        if advice is None and first.kind == "operator" and second.kind == "equals":
            name = quoted(target.text)
            advice = f"type '{name} = {name} {first.text} ...'" if target.kind == "name" else "type 'y = ...'"
        if advice is not None:
            span = Span(first.start, second.end)
            return _error("E112", f"'{operator}' is not an operator", place, "not part of the language", advice, span)
    return None


def _chained_comparison(place: Place) -> ProgramSyntaxError | None:
    """`a < b < c`."""
    if place.token.kind != "comparison" or not place.before.ends_operand:
        return None
    start = place.clause_start(place.index)
    signs = [i for i in range(start, place.index) if place.at(i).kind == "comparison"]
    if not signs:
        return None
    sign = place.at(signs[-1])
    first = place.text(place.at(start).start, place.before.end)
    second = place.text(sign.end, place.at(place.clause_end(place.index)).end)
    advice = f"multiply two comparisons: '({first}) * ({second})'"
    return _error("E111", "comparisons cannot be chained", place, "a second comparison", advice)


def _assignment(place: Place) -> ProgramSyntaxError | None:
    """An `=` that does not stand after the one name that starts a statement."""
    if place.token.kind != "equals":
        return None
    if place.open:
        label = "expected the name of an argument before '='" if _in_call(place) else "nothing is assigned in brackets"
        return _error("E106", "'=' cannot stand here", place, label, "type '==' to compare")
    start = place.clause_start(place.index)
    if place.at(start - 1).kind == "equals" and start < place.index:
        advice = "type '==' to compare, or ';' between two statements"
        return _error("E106", "a statement has one '='", place, "a second '='", advice)
    if start == place.index:
        if place.before.kind == "equals":
            return _error("E106", "'=' is written twice", place, "a second '='", "type '==' to compare, '=' to assign")
        advice = "type a name before it, as in 'y = x'"
        return _error("E106", "nothing to assign to", place, "expected a name before '='", advice)
    target = Span(place.at(start).start, place.before.end)
    function = re.fullmatch(r"(\w+)\s*\(\s*[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*\s*\)", place.text(*target))
    advice = (
        f"type '{function[1]} = ...' without brackets" if function else "type 'y = ...' with a name, or '==' to compare"
    )
    message = f"cannot assign to '{place.text(*target)}'"
    return _error("E106", message, place, "expected a name before '='", advice, target)


def _missing_value(place: Place) -> ProgramSyntaxError | None:
    """An operator, comma or bracket where a value or a name must stand."""
    before, token = place.before, place.token
    if before.kind == "dot" and token.kind != "name":
        advice = "type a name after '.', as in 'A.T' or 'x.sum()'"
        return _error("E104", "missing name after '.'", place, "expected a name", advice)
    if before.ends_operand or token.starts_operand or before.kind == "dot":
        return None
    if before.kind in ("operator", "comparison", "equals"):
        label = f"expected a value after '{before.text}'"
        advice = f"type a number or a name after '{before.text}'"
        return _error("E104", f"missing value after '{before.text}'", place, label, advice)
    if token.kind in ("operator", "comparison", "superscript", "dot"):
        unpacking = token.text in ("*", "**") and place.after.starts_operand and _in_call(place)
        advice = "type the arguments one by one" if unpacking else f"type a number or a name before '{token.text}'"
        return _error("E104", f"missing value before {token.shown}", place, "expected a value before it", advice)
    if token.kind == "comma":
        return _error("E113", "missing value before ','", place, "expected a value before it", "remove ','")
    if token.kind == "close":
        return _error("E113", "nothing between the brackets", place, "expected an index", "type an index, as in 'x[0]'")
    return None


def _missing_operator(place: Place) -> ProgramSyntaxError | None:
    """Two values side by side: a product that is not written, a missing comma or semicolon."""
    before, token = place.before, place.token
    if not (before.ends_operand and token.starts_operand):
        return None
    between = f"between {before.shown} and {token.shown}"
    if re.fullmatch(r"\s*d/d\w+\s*", place.source.text[: token.start]):
        advice = "type the function alone: gradcli differentiates it by each variable"
        return _error("E105", f"missing operator {between}", place, "behind the sign of a derivative", advice)
    left, right = place.operand_before(place.index - 1), place.operand_after(place.index)
    if not place.open and place.after.kind == "equals" and token.kind == "name":
        return _error("E105", f"missing ';' {between}", place, "a second statement", f"type ';' before {token.shown}")
    if "string" in (before.kind, token.kind) or (place.open and place.open[-1].text == "["):
        advice = "type ',' between them" if "string" in (before.kind, token.kind) else f"type '{left}, {right}'"
        return _error("E105", f"missing ',' {between}", place, "expected ',' before it", advice)
    comma = f", or '{left}, {right}' for two arguments" if _in_call(place) else ""
    label = "only a named function can be called" if token.text == "(" else "expected an operator before it"
    return _error("E105", f"missing operator {between}", place, label, f"type '{left}*{right}' to multiply{comma}")


def _in_call(place: Place) -> bool:
    """Return whether the innermost open bracket holds the arguments of a function."""
    if not place.open:
        return False
    opener = place.tokens.index(place.open[-1])
    return place.at(opener - 1).kind == "name"


def _punctuation(place: Place) -> ProgramSyntaxError | None:
    """A separator outside the brackets in which it means something."""
    token: Token = place.token
    if token.kind == "comma":
        if place.before.kind == place.after.kind == "number" and place.after.start - place.before.end == 1:
            number = f"{place.before.text}.{place.after.text}"
            return _error("E115", "',' in a number", place, "a decimal comma", f"type '{number}' with a point")
        advice = "type ';' between statements, or put the values in brackets: '[1, 2]'"
        return _error("E115", "',' outside brackets", place, "separates nothing here", advice)
    if token.kind == "colon":
        advice = "a slice stands in square brackets and has up to three parts: 'x[0:4:2]'"
        return _error("E115", "':' outside an index", place, "expected inside 'x[...]'", advice)
    return None
