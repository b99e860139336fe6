"""Errors that one token shows by itself: a character, a number, a word or a string that the language does not have."""

from __future__ import annotations

import re
import unicodedata
from keyword import iskeyword

from gradcli.errors import ProgramSyntaxError
from gradcli.language.applications import applied
from gradcli.language.grammar import expression_parser
from gradcli.language.literals import read_number
from gradcli.language.names import read_name
from gradcli.language.tokens import Place, Token, quoted

_AND = "nest two where(), as in 'where(a > 0, where(b > 0, x, y), y)'"
_OR = "nest two where(), as in 'where(a > 0, x, where(b > 0, x, y))'"
_NOT = "swap the two values: 'where(condition, b, a)'"
_CHOICE = "type 'where(condition, a, b)' for a where the condition holds and b elsewhere"
_LOOP = "write each step as a statement, or use tensors: 'sum(x)'"
_STATEMENTS = "a program is statements 'name = expression'; leave this out"

KEYWORD_HELP = {
    "and": _AND,
    "or": _OR,
    "not": _NOT,
    "is": "type '==' to compare",
    **dict.fromkeys(("if", "else", "elif"), _CHOICE),
    **dict.fromkeys(("for", "while", "in", "break", "continue"), _LOOP),
    **dict.fromkeys(("import", "from", "as"), "functions are built in: leave the import out"),
    "def": "type the formula itself, as in 'y = x**2'",
    "lambda": "type 'lam' for a variable; a function is called on its input, as in 'sigmoid(x)'",
    "return": "the last statement is the output: leave 'return' out",
    "with": "type 'detach(x)' for what must have no gradient",
}

CHARACTER_HELP = {
    **dict.fromkeys(("&", "&&"), _AND),
    **dict.fromkeys(("|", "||"), _OR),
    "~": _NOT,
    "?": _CHOICE,
    "!": "type '!=' for 'is not equal'",
    "$": "type the formula without '$'",
    "`": "type the formula without quotes",
    "\\": "type names without a backslash, as in 'alpha'",
    "≈": "type '-' for the difference of the two sides",
    "∞": "type a number, such as '1e9'",
    **dict.fromkeys("∂∇", "type the function alone: gradcli differentiates it"),
    **dict.fromkeys("∑∏∫", "type 'sum(x)' or 'prod(x)'"),
    **dict.fromkeys("÷∕⁄", "type '/' to divide"),
    **dict.fromkeys("∗•∙⊙", "type '*' to multiply"),
    **dict.fromkeys("‐‑–—", "type '-' to subtract"),
    **dict.fromkeys("“”„«»", "type straight quotes, as in 'mean'"),
    **dict.fromkeys("‘’‚", "type straight quotes, as in 'mean'"),
    **dict.fromkeys("ⁿⁱ", "type '**' for a power, as in 'x**n'"),
    **dict.fromkeys("½¼¾⅓⅔", "type the fraction, as in '(1/2)'"),
}


def check_spelling(place: Place) -> ProgramSyntaxError | None:
    """Return the mistake in the token at which the parser stopped; None where the token by itself is fine."""
    token = place.token
    if token.kind == "stray":
        return _stray(place)
    if token.kind == "unclosed":
        quote = token.text[0]
        label = f"expected {quote} before the end of the line"
        return _error("E110", "unclosed string", token, label, f"type {quote} at the end of the string")
    if token.kind == "number":
        return _number(place)
    if token.kind == "superscript" and place.before.ends_operand:
        return _bad_number(
            token, f"{token.shown} is not an exponent", "too large, or a leading zero", "type '**' for it"
        )
    if token.kind == "name" and iskeyword(token.text):
        return _keyword(token)
    if token.kind == "name" and read_name(token.text) is None:
        label = "expected a letter at its start"
        return _error("E108", f"{token.shown} is not a name", token, label, "start the name with a letter or '_'")
    if token.text in ("{", "}"):
        advice = "type '[1, 2]' for a tensor, '(...)' for a group"
        return _error("E114", f"'{token.text}' is not part of the language", token, "a brace", advice)
    return None


def _keyword(token: Token) -> ProgramSyntaxError:
    message = f"'{token.text}' cannot be used in an expression"
    return _error("E107", message, token, "a reserved word of Python", KEYWORD_HELP.get(token.text, _STATEMENTS))


def _stray(place: Place) -> ProgramSyntaxError:
    character = place.token.text
    following = place.operand_after(place.index + 1) if place.after.starts_operand else ""
    advice = CHARACTER_HELP.get(character)
    ascii_twin = unicodedata.normalize("NFKC", character)
    bar = _closing_bar(place) if character == "|" else None
    if character == "√":
        inner = following[1:-1] if following.startswith("(") and following.endswith(")") else following
        advice = f"type 'sqrt({quoted(inner) or 'x'})'"
    elif bar is not None:
        advice = f"type 'abs({place.text(place.token.end, bar.start)})'"
    elif advice is None and ascii_twin != character and ascii_twin.isascii() and ascii_twin.isprintable():
        advice = f"type '{ascii_twin}'"
    message = f"unknown character {place.token.shown}" if len(character) == 1 else f"'{character}' is not an operator"
    return _error("E108", message, place.token, _label(character), advice or "remove it")


def _label(character: str) -> str:
    name = "" if character.isascii() else unicodedata.name(character, "").lower()
    return name or "not part of the language"


def _closing_bar(place: Place) -> Token | None:
    """The second bar of `|x|`."""
    index = place.index + 1
    while place.at(index).kind != "end":
        if place.at(index).text == "|":
            return place.at(index) if index > place.index + 1 else None
        index += 1
    return None


def _number(place: Place) -> ProgramSyntaxError | None:
    token = place.token
    word = token.text
    pattern = re.compile(expression_parser().get_terminal("NUMBER").pattern.to_regexp())
    valid = pattern.match(word)
    length = valid.end() if valid else 0
    number, suffix = quoted(word[:length]), word[length:]
    if not suffix:
        return _value(token)
    if iskeyword(suffix):
        return _keyword(Token("name", suffix, token.start + length, token.end))
    if suffix in ("j", "J"):
        return _bad_number(
            token, "complex numbers are not part of the language", "real numbers only", f"type '{number}'"
        )
    if re.fullmatch(r"[eE][-+]?", suffix):
        advice = f"type '{number}e3' for {number}·10³, or '{number}*{suffix[0]}' to multiply"
        return _bad_number(token, f"the number {token.shown} has no exponent", "expected digits after it", advice)
    if re.fullmatch(r"_+[0-9_]*", suffix):
        advice = f"type '{quoted(re.sub('_+', '', word))}'"
        return _bad_number(token, f"misplaced '_' in the number {token.shown}", "'_' stands between two digits", advice)
    if word.count(".") > 1:
        advice = "keep one '.'; type ',' between two numbers"
        return _bad_number(token, f"{token.shown} is not a number", "more than one decimal point", advice)
    factor = place.text(token.start + length, place.at(place.operand_end(place.index)).end)
    if suffix[0].isdigit() or not (suffix[0].isalpha() or suffix[0] == "_"):
        return _bad_number(
            token, f"{token.shown} is not a number", "cannot be read", "type a number such as 12, 0.5 or 1e-3"
        )
    number = number.rstrip(".")
    label, product = f"expected an operator after '{number}'", f"{number}*{factor}"
    call = applied(place, product)
    advice = f"type '{call}', with the whole input in the brackets" if call else f"type '{product}' to multiply"
    return _error("E105", f"missing operator in {token.shown}", token, label, advice)


def _value(token: Token) -> ProgramSyntaxError | None:
    """Return the mistake in a number that is spelled well; None when its value is fine."""
    try:
        read_number(token.text)
    except ValueError:
        digits = token.text.replace("_", "")
        if digits.isdigit() and digits.startswith("0"):
            advice = f"type '{quoted(digits.lstrip('0'))}'"
            return _bad_number(token, "a number does not start with 0", "leading zero", advice)
        advice = "type it with an exponent, such as '1e20', for a float"
        return _bad_number(token, "this number is too large for a 64-bit integer", "beyond 9223372036854775807", advice)
    return None


def _bad_number(token: Token, message: str, label: str, advice: str) -> ProgramSyntaxError:
    return _error("E109", message, token, label, advice)


def _error(code: str, message: str, token: Token, label: str, advice: str) -> ProgramSyntaxError:
    return ProgramSyntaxError(code, message, span=token.span, label=label, help=advice)
