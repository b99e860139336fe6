"""Functions written as in books, without brackets or with the power in the middle: `sin x`, `sin²(x)`, `exp -x`."""

from __future__ import annotations

import re

from gradcli.errors import ProgramSyntaxError
from gradcli.language.catalogue import FAMILY_OF
from gradcli.language.tokens import Place, quoted
from gradcli.language.tree import Binary, Expression, Name, Number, Program, Unary, postorder
from gradcli.language.unparser import unparse
from gradcli.source import Span

TIMES = ("*", "·", "⋅", "×", "⊙")


def is_function(name: str) -> bool:
    """Return whether a name is a function's; a single letter is more likely to be a variable."""
    return len(name) > 1 and name in FAMILY_OF


def check_application(place: Place) -> ProgramSyntaxError | None:
    """Return the mistake where a function, or a power of one, stands beside its input."""
    if not (place.before.ends_operand and place.token.starts_operand) or place.token.kind == "string":
        return None
    index, power = _powered(place)
    if not _names_function(place, index):
        return None
    name = quoted(place.at(index).text)
    call = f"{name}({_input(place)})"
    if place.token.text == "(":
        call = f"{name}{place.operand_after(place.index) if place.index in place.partner else '(x)'}"
    if not power:
        advice = f"type '{call}', with the whole input in the brackets"
        return _error(f"missing '(' after the function '{name}'", place.span, "its input stands in brackets", advice)
    over = f"({power})" if power.startswith("-") else power
    advice = f"type '{call}**{over}'"
    if power == "-1" and is_function(f"a{name}"):
        advice = f"type 'a{call}' for the inverse function, '{call}**(-1)' for one over it"
    span = Span(place.at(index + 1).start, place.before.end)
    return _error(f"a power cannot stand between '{name}' and its input", span, "expected behind the input", advice)


def _error(message: str, span: Span, label: str, advice: str) -> ProgramSyntaxError:
    return ProgramSyntaxError("E105", message, span=span, label=label, help=advice)


def applied(place: Place, text: str) -> str:
    """Return a call, on a text as its input, of the function that stands before a place; empty where none does."""
    name = place.before.text
    return f"{quoted(name)}({text})" if _names_function(place, place.index - 1) else ""


def is_applied(program: Program, name: str) -> bool:
    """Return whether a function's name stands before a signed input in a program: `exp -x`."""
    pattern = rf"(?<![\w.]){re.escape(name)}[ \t]+[-+](?=[^\s=])"
    return is_function(name) and re.search(pattern, program.source.text) is not None


def called(program: Program, name: str) -> str:
    """Return the call to type for a function's name that a program reads as a variable: `exp(-x)` for `2*exp -x`."""
    for statement in program.statements:
        for node in postorder(statement.value):
            if isinstance(node, Binary) and node.operator in ("+", "-") and _last(node.left) == name:
                behind = unparse(Binary("-", Number(0), node.right)).removeprefix("0 - ")  # a sum in brackets
                return f"{name}({node.operator.replace('+', '')}{quoted(behind)})"
    return f"{name}(x)"


def _last(tree: Expression) -> str:
    """Return the name with which an expression ends, or nothing."""
    while isinstance(tree, Binary | Unary):
        tree = tree.right if isinstance(tree, Binary) else tree.operand
    return tree.id if isinstance(tree, Name) else ""


def _names_function(place: Place, index: int) -> bool:
    """Return whether the token at an index is a function: a known name, which the program assigns nothing to."""
    token = place.at(index)
    if token.kind != "name" or not is_function(token.text) or place.at(index - 1).kind == "dot":
        return False
    pairs = zip(place.tokens, place.tokens[1:], strict=False)
    return not any(first.text == token.text and second.kind == "equals" for first, second in pairs)


def _powered(place: Place) -> tuple[int, str]:
    """Return the index of the name before the place, and the power between them: `sin²`, `sin**2`, `sin^(-1)`."""
    end = place.index - 1
    if place.at(end).kind == "superscript":
        text = place.at(end).text
        digits = "".join(str("⁰¹²³⁴⁵⁶⁷⁸⁹".find(digit)) for digit in text.removeprefix("⁻"))
        return (end - 1, f"{'-' if text.startswith('⁻') else ''}{digits}") if text != "ᵀ" else (-1, "")
    if place.at(end).kind not in ("number", "close"):
        return end, ""
    start_of_base = place.operand_start(end)
    sign = place.at(start_of_base - 1).text
    start = start_of_base - 1 if sign in ("-", "−") else start_of_base
    if place.at(start - 1).text not in ("^", "**"):
        return -1, ""
    text = place.text(place.at(start).start, place.at(end).end)
    return start - 2, text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _input(place: Place) -> str:
    """Return the input at the place: `x`, `2*x`, and of `sin cos x` the call of the inner function."""
    functions, index = [], place.index
    while _names_function(place, index) and place.at(index + 1).kind in ("name", "number"):
        functions.append(place.at(index).text)
        index += 1
    end = place.operand_end(index)
    while place.at(index).kind == "number" and place.at(end + 1).text in TIMES and place.at(end + 2).starts_operand:
        end = place.operand_end(end + 2)
    text = place.text(place.at(index).start, place.at(end).end)
    return f"{'('.join([*functions, text])}{')' * len(functions)}"
