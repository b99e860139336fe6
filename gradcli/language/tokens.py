"""The text around a failure of the parser, as tokens: the token before, the open brackets, the operands.

Used for error messages only. Unlike the parser's lexer this one reads every text: other characters are `stray`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from keyword import iskeyword
from typing import NamedTuple

from gradcli.language.grammar import expression_parser
from gradcli.language.names import readable_length
from gradcli.source import Source, Span, visible

CLOSERS = {"(": ")", "[": "]", "{": "}"}
LONGEST_QUOTE = 40


class Token(NamedTuple):
    """A piece of text; `kind` is a group of the pattern below, and `first` means first on its line."""

    kind: str
    text: str
    start: int
    end: int
    first: bool = False

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)

    @property
    def shown(self) -> str:
        """The token as a message calls it."""
        if self.kind == "end" and self.text != ";":
            return "the end"
        return quoted(self.text) if self.kind == "string" else f"'{quoted(self.text)}'"

    @property
    def starts_operand(self) -> bool:
        return self.kind in ("name", "number", "string", "constant", "open")

    @property
    def ends_operand(self) -> bool:
        return self.kind in ("name", "number", "string", "constant", "close", "superscript")


def quoted(text: str) -> str:
    """A piece of the program on one line, safe to print and not too long."""
    text = visible(" ".join(text.split()))
    return text if len(text) <= LONGEST_QUOTE else text[: LONGEST_QUOTE - 3] + "..."


def _pattern() -> re.Pattern[str]:
    """Return the pattern of the tokens of the grammar, and of mistyped ones."""
    terminal = {t.name: t.pattern.to_regexp() for t in expression_parser().terminals}
    kinds = {
        "space": f"{terminal['SPACE']}|{terminal['COMMENT']}",
        "end": rf"{terminal['_NEWLINE']}|;",
        "string": terminal["STRING"],
        "unclosed": r"""['"][^\r\n]*""",
        "superscript": f"{terminal['SUPERSCRIPT']}|{terminal['TRANSPOSE']}",
        "number": r"(?:[0-9]|\.[0-9])(?:[eE][-+][0-9]|(?![⁰¹²³⁴-⁹])[\w.])*",
        "constant": terminal["CONSTANT"],
        "name": terminal["NAME"],
        "comparison": terminal["COMPARE"],
        "operator": "|".join(terminal[name] for name in ("POW", "MUL", "ADD")),
        "open": r"[(\[{]",
        "close": r"[)\]}]",
        "comma": ",",
        "colon": ":",
        "dot": r"\.",
        "equals": "=",
        "stray": r"&&|\|\||[\s\S]",
    }
    return re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in kinds.items()))


def scan(text: str) -> Iterator[Token]:
    """The tokens of any text, without spaces, comments and the newlines inside brackets."""
    depth = 0
    first = True
    for match in _pattern().finditer(text):
        kind, word, start = match.lastgroup or "", match[0], match.start()
        if kind == "space":
            continue
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        newline = kind == "end" and word != ";"
        if kind == "name" and not iskeyword(word):
            for piece in _readable_parts(word, start):
                yield piece._replace(first=first and piece.start == start)
        elif not (newline and depth):
            yield Token(kind, word, start, match.end(), first)
        first = newline


def _readable_parts(word: str, start: int) -> Iterator[Token]:
    """A word as names and, one by one, the characters that no name has."""
    while word:
        length = readable_length(word)
        kind = "name" if length else "stray"
        length = length or 1
        yield Token(kind, word[:length], start, start + length)
        word, start = word[length:], start + length


class Place:
    """The place where the parser stopped: `before`, `token` and `after`, and the brackets that are open there."""

    def __init__(self, source: Source, offset: int) -> None:
        self.source = source
        self.tokens = list(scan(source.text))
        end = self.tokens[-1].end if self.tokens else 0
        self.tokens.append(Token("end", "", end, end))
        self.index = min(bisect_right([token.end for token in self.tokens[:-1]], offset), len(self.tokens) - 1)
        self.partner = _partners(self.tokens)
        self.open = _open_brackets(self.tokens[: self.index])

    def at(self, index: int) -> Token:
        """The token at an index; before the first and after the last there is the end."""
        return self.tokens[index] if 0 <= index < len(self.tokens) else Token("end", "", 0, 0)

    @property
    def before(self) -> Token:
        return self.at(self.index - 1)

    @property
    def token(self) -> Token:
        return self.at(self.index)

    @property
    def after(self) -> Token:
        return self.at(self.index + 1)

    @property
    def span(self) -> Span:
        """The token to underline; at the end of a statement, the place behind it."""
        return Span(self.before.end, self.before.end) if self.token.kind == "end" else self.token.span

    def text(self, start: int, end: int) -> str:
        """The source from one offset to another, as a message quotes it."""
        return quoted(self.source.text[start:end])

    def operand_before(self, index: int) -> str:
        """The text of the operand whose last token is at `index`."""
        return self.text(self.at(self.operand_start(index)).start, self.at(index).end)

    def operand_after(self, index: int) -> str:
        """The text of the operand whose first token is at `index`."""
        return self.text(self.at(index).start, self.at(self.operand_end(index)).end)

    def operand_start(self, index: int) -> int:
        """The index at which the operand that ends at `index` starts: `f(x)[0].T` starts at `f`."""
        while True:
            index = min(index, self.partner.get(index, index))
            left = self.at(index - 1)
            if (self.at(index).kind == "open" and left.kind in ("name", "close", "superscript")) or (
                self.at(index).kind == "superscript" and left.ends_operand
            ):
                index -= 1
            elif left.kind == "dot" and self.at(index - 2).ends_operand:
                index -= 2
            else:
                return index

    def operand_end(self, index: int) -> int:
        """The index at which the operand that starts at `index` ends."""
        index = max(index, self.partner.get(index, index))
        while True:
            right = self.at(index + 1)
            if right.kind == "open" and self.at(index).ends_operand:
                closer = self.partner.get(index + 1)
                if closer is None:
                    return index
                index = closer
            elif right.kind == "superscript":
                index += 1
            elif right.kind == "dot" and self.at(index + 2).kind == "name":
                index += 2
            else:
                return index

    def clause_start(self, index: int) -> int:
        """The index of the first token of the clause around `index`: after a separator, an `=` or an open bracket."""
        while True:
            left = self.at(index - 1)
            if left.kind in ("end", "comma", "colon", "equals", "open"):
                return index
            index = min(index - 1, self.partner.get(index - 1, index))

    def clause_end(self, index: int) -> int:
        """The index of the last token of the clause around `index`."""
        while True:
            index = max(index, self.partner.get(index, index))
            if self.at(index + 1).kind in ("end", "comma", "colon", "equals", "close"):
                return index
            index += 1


def _partners(tokens: list[Token]) -> dict[int, int]:
    """For each bracket that is closed the index of the other one, both ways."""
    partner: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind == "open":
            stack.append(index)
        elif token.kind == "close" and stack:
            opener = stack.pop()
            partner[opener], partner[index] = index, opener
    return partner


def _open_brackets(tokens: list[Token]) -> list[Token]:
    stack: list[Token] = []
    for token in tokens:
        if token.kind == "open":
            stack.append(token)
        elif token.kind == "close" and stack:
            stack.pop()
    return stack
