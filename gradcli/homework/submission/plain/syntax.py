"""From the tokens of an answer to a tree of the language, with each sign and each bracket that was left out.

Products of matrices are decided later, by shapes: here `Ax`, `A·x` and `A*x` are products `" "`, `"·"` and `"*"`, and
`A^T`, `A'` and `Aᵀ` are `Call("ᵀ")`. Numbers keep their digits, as names. Where two readings are usual (`1/2x`) there
is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from gradcli.homework.submission.plain.indices import TIE
from gradcli.homework.submission.plain.names import (
    EXPANDED,
    INDEX_LETTERS,
    SUM,
    UNARY,
    derivative_of,
    function_of,
    indexed,
    is_function,
    matching,
    spelled,
)
from gradcli.homework.submission.plain.tokens import Token, closing, outside
from gradcli.homework.submission.plain.vocabulary import CONDITION, ELSE, MINUS, folded_word
from gradcli.language.parser import parse_expression
from gradcli.language.rewrite import substitute
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Index,
    List,
    Method,
    Name,
    Unary,
)
from gradcli.language.tree import names as names_in
from gradcli.ops.operators import ATTRIBUTES
from gradcli.source import Source

DEEPEST = 40
MAKERS = frozenset(
    ("tensor", "array", "asarray", "matrix", "vector", "size", "floattensor", "doubletensor", "longtensor", "inttensor",
     "halftensor", "constant", "as_tensor", "parameter", "float", "float16", "float32", "float64", "float_", "int",
     "int32", "int64", "int_", "c")
)  # fmt: skip
MODULES = frozenset(("torch", "np", "numpy", "jnp", "tf", "jax", "math", "la", "linalg", "f", "nn", "functional"))
INDICATORS = frozenset(("𝟙", "I", "H", "u", "Heaviside", "heaviside", "HeavisideTheta", "UnitStep"))
COPIES = frozenset(("item", "numpy", "detach", "cpu", "tolist", "clone", "squeeze", "flatten"))  # of the same numbers
TURNS = frozenset((*ATTRIBUTES, "t", "transpose", "adjoint"))
COMPARES = {"≤": "<=", "≥": ">=", "≠": "!=", "=": "==", **{sign: sign for sign in ("<", ">", "<=", ">=", "!=", "==")}}
PRODUCTS = {"×": "·", "∘": "⊙", ".*": "⊙", "%*%": "@", "./": "/"} | {sign: sign for sign in ("*", *"·⊙@⊗/%", "//")}
END = Token("end", "", 0, 0)


class Form(NamedTuple):
    """How entries in a bracket are told apart: by the mark that ends a `row`, by spaces, or by commas if `in_row`."""

    row: str
    is_group: bool
    spaced: bool
    in_row: bool


class TwoReadingsError(Exception):
    """An answer that may be meant in two ways; the message has both."""


class FaultError(Exception):
    """Tokens that are no formula; `token` is the first that does not fit."""

    def __init__(self, message: str, token: Token = END) -> None:
        super().__init__(message)
        self.token = token


def parsed(
    tokens: Sequence[Token],
    names: Collection[str],
    *,
    is_list: bool = False,
    by_lines: bool = False,
    is_scalar: bool = False,
) -> Expression:
    """Return the tree of all tokens, or with `is_list` that of entries without brackets around them.

    Of one that `is_scalar` all brackets group. With `by_lines` the end of a line separates rows.

    Raises FaultError and TwoReadingsError.
    """
    parser = Parser(tokens, frozenset(names), by_lines=by_lines, is_scalar=is_scalar)
    tree = parser.entries(len(tokens), "") if is_list else parser.piecewise()
    if parser.place < len(parser.tokens):
        raise FaultError("", parser.peek())
    return tree


def without_marks(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens without marks; a point between matrices is a product in Wolfram's notation, `A.(x - y)`."""
    kept_tokens: list[Token] = []
    for token, follows in zip(tokens, (*tokens[1:], END), strict=True):
        if token.kind != "mark":
            kept_tokens.append(token)
        elif token.text == "." and kept_tokens and kept_tokens[-1].kind in ("close", "name") and follows.text == "(":
            kept_tokens.append(Token("operator", "@", token.start, token.end))
    return kept_tokens


def apart(tokens: Sequence[Token], names: frozenset[str]) -> Iterator[Token]:
    """Yield tokens, with products of names as one token each: `xe` as `x` and `e`."""
    is_call = False  # of Wolfram: `Sin[x]`
    for token, follows in zip(tokens, (*tokens[1:], END), strict=True):
        if is_call:
            token, is_call = Token("open", "(", token.start, token.end), False
        is_module = follows.kind == "attribute" and token.text.lower() in MODULES
        if token.kind != "name" or token.text in names or is_module or indexed(token.text, names)[0]:
            yield token
            continue
        is_call = follows.text == "[" and not follows.gap and token.text[:1].isupper() and bool(function_of(token.text))
        calls = follows.text == "(" or follows.kind == "prime" or is_call
        if token.text == "E" and follows.text in ("^", "**"):  # of Wolfram
            yield Token("name", "e", token.start, token.end, token.gap)
            continue
        for number, part in enumerate(spelled(token.text, names, calls=calls)):
            yield Token("name", part, token.start, token.end, token.gap and not number)


class Parser:
    def __init__(self, tokens: Sequence[Token], names: frozenset[str], *, by_lines: bool, is_scalar: bool) -> None:
        self.names, self.by_lines, self.is_scalar = names, by_lines, is_scalar
        self.tokens = list(apart(without_marks(tokens), names))
        self.place = self.depth = self.bars = 0
        is_matlab = any(
            token.text in (".*", "./", ".^", ".'") or (token.kind == "prime" and behind.text != "(")
            for token, behind in zip(self.tokens, (*self.tokens[1:], END), strict=True)
        )
        self.products = PRODUCTS | {"*": "·"} if is_matlab else PRODUCTS  # there `*` is of matrices
        self.in_row = False  # whether entries are read that have commas between them

    def peek(self, ahead: int = 0) -> Token:
        place = self.place + ahead
        return self.tokens[place] if place < len(self.tokens) else END

    def take(self) -> Token:
        token = self.peek()
        self.place += 1
        return token

    def skip_lines(self) -> None:
        while self.peek().kind == "line":
            self.place += 1

    def deeper(self, read: Callable[[], Expression]) -> Expression:
        """Read what stands inside of something else."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise FaultError("it is nested too deeply")
        tree = read()
        self.depth -= 1
        return tree

    def piecewise(self, *, in_cases: bool = False) -> Expression:
        """Read a formula, or several with conditions: `1 if x > 0 else 0`, `x for x > 0, 0 otherwise`, or LaTeX's."""
        cases: list[tuple[Expression, Expression]] = []
        word, is_else = self.peek(), True  # the word of the last condition, and whether a last value may follow
        while True:
            value = self.sum(spaced=False)
            if in_cases and self.peek().kind == "separator":
                self.take()
            if is_word(self.peek(), CONDITION - ELSE):
                word = self.take()
            elif is_word(self.peek(), ELSE):
                self.take()
                break
            elif not in_cases:
                if not is_else:
                    raise FaultError("", word)
                break
            cases.append((value, self.comparison()))
            while self.peek().kind in ("row", "separator", "line"):
                self.take()
            if in_cases and self.peek().kind == "close":
                break
            if self.peek() is END:
                raise FaultError("", word)
            is_else = is_word(self.peek(), ELSE)
            self.place += is_else
        for case_value, condition in reversed(cases):  # the last may have a condition that is the rest
            value = where(condition, case_value, value) if case_value is not value else value
        return value

    def comparison(self) -> Expression:
        left = self.sum(spaced=False)
        if self.peek().text not in COMPARES:
            raise FaultError("", self.peek())
        sign = COMPARES[self.take().text]
        return Compare(sign, left, self.sum(spaced=False))

    def sum(self, *, spaced: bool) -> Expression:
        """Read a sum; where entries are `spaced`, `1 -2` are two and `1 - 2` is one."""
        tree = self.product(spaced=spaced)
        while (self.peek().text in ("+", "-") and self.peek().kind == "operator") or is_word(self.peek(), MINUS):
            if self.peek().gap and not self.peek(1).gap and (spaced or self.in_row):
                break  # in a row with commas it does not fit
            sign = "-" if self.take().text != "+" else "+"
            self.skip_lines()
            tree = Binary(sign, tree, self.product(spaced=spaced))
        return tree

    def product(self, *, spaced: bool) -> Expression:
        first = self.place
        tree = self.signed(spaced=spaced)
        divisor = -1  # the place of a divisor to which a product without a sign may belong
        while True:
            token = self.peek()
            if token.text in PRODUCTS and token.kind == "operator":
                self.take()
                if token.text == "//":
                    raise TwoReadingsError("// rounds down in Python and makes a fraction in Julia: write /")
                self.skip_lines()
                start = self.place
                other, sign = self.signed(spaced=spaced), self.products[token.text]
                is_matrix = sign == "*" and any(
                    isinstance(text, Call) and text.function == "ᵀ" for text in (tree, other)
                )
                tree = Binary("·" if is_matrix else sign, tree, other)  # Xᵀ*G; X.T*G is entry by entry
                divisor = start if token.text == "/" else -1
            elif self.begins_factor(spaced=spaced):
                if divisor >= 0 and not (token.gap and self.is_fraction(first)):
                    ahead, inner = written(self.tokens[first:divisor]), written(self.tokens[divisor : self.place])
                    text, second = f"{ahead}{inner}*{token.text}...", f"{ahead}({inner}*{token.text}...)"
                    raise TwoReadingsError(f"two readings: {text} or {second}: write the brackets")
                tree, divisor = Binary(" ", tree, self.power(spaced=spaced)), -1
            else:
                return tree

    def begins_factor(self, *, spaced: bool) -> bool:
        """Whether the next token is a factor without a sign before it; two numbers side by side are no product."""
        token, before = self.peek(), self.tokens[self.place - 1]
        if spaced and token.gap:
            return False
        if token.kind == "bar":
            return not self.bars
        if token.kind in ("number", "fraction") and token.text != "frac":
            return False
        if token.kind == "name":
            return not is_word(token, JOINING) or token.text in self.names
        is_grouped = self.is_scalar or before.text in ("]", ")") or before.kind in ("number", "exponent")
        return token.kind in ("open", "root", "fraction", "cases") and (token.text != "[" or is_grouped)

    def is_fraction(self, first: int) -> bool:
        """Whether the product so far is a plain fraction, as in `1/2 x` and `1/n x`."""
        return re.fullmatch(r"-?\d+/(?:\d+|[nmNMB])", written(self.tokens[first : self.place])) is not None

    def signed(self, *, spaced: bool) -> Expression:
        signs = []
        while (self.peek().kind == "operator" and self.peek().text in ("+", "-")) or is_word(self.peek(), MINUS):
            signs.append("-" if self.take().text != "+" else "+")
            self.skip_lines()
        tree = self.power(spaced=spaced)
        for sign in reversed(signs):
            tree = Unary(sign, tree)
        return tree

    def power(self, *, spaced: bool) -> Expression:
        start = self.peek()
        is_e = start.kind == "name" and start.text == "e" and "e" not in self.names
        base = self.postfix()
        token = self.peek()
        is_power = token.kind == "operator" and token.text in ("^", "**", ".^")
        if not is_power or (spaced and token.gap and not self.peek(1).gap):
            return Call("exp", (Argument(Name("1")),)) if is_e else base
        self.take()
        if (superscript := self.transpose()) is not None:
            return turned(Call("inverse", (Argument(base),)) if "-" in superscript else base)
        if (index := self.layer(base)) is not None:
            return index
        follows, behind = self.peek(), self.peek(1)
        is_sign = follows.kind == "operator" and follows.gap and behind.gap  # y^ - t
        if (is_sign or follows.kind in ("end", "separator", "close", "relation")) and isinstance(base, Name):
            close = matching(f"{base.id}hat", self.names)
            if not close:
                raise FaultError("", token)  # `5^`
            return Name(close)
        exponent = self.exponent(is_e=is_e)
        if is_e:
            return Call("exp", (Argument(exponent),))
        return Binary("^" if token.text == "^" else "**", base, exponent)

    def transpose(self) -> str | None:
        """Take the superscript of `A^T` or `A^{-T}`, and return it."""
        ahead = written(self.tokens[self.place : self.place + 4])
        match = re.match(r"\{-?[Tᵀ]\}|\(T\)", ahead)
        is_one = self.peek().text in ("ᵀ", "T", "t", "'", "H") and self.peek().text not in self.names
        if "T" in self.names or not (match or is_one):
            return None
        superscript = match[0] if match else self.peek().text
        self.place += len(superscript)  # each of its tokens is one character
        return superscript

    def layer(self, base: Expression) -> Expression | None:
        """Take the number of a layer, `W^{(2)}` or `W^[2]`, where the program has a name for it."""
        end = closing(self.tokens, self.place) if self.peek().kind == "open" else -1
        inner = re.fullmatch(r"\{?[(\[](\w+)[)\]]\}?", written(self.tokens[self.place : end + 1])) if end > 0 else None
        if inner is None or not isinstance(base, Name):
            return None
        name, (known, _, index) = matching(f"{base.id}{inner[1]}", self.names), base.id.partition(TIE)
        if not name and inner[1] in INDEX_LETTERS and known in self.names:  # x^{(i)}, the row i of X
            name = f"{known}{TIE}{inner[1]}{index}"
        elif not name and inner[1] in INDEX_LETTERS and (known := matching(base.id, self.names)):
            name = f"{known}{TIE}{inner[1]}"
        if name:
            self.place = end + 1
        return Name(self.with_index(name)) if name else None

    def with_index(self, name: str) -> str:
        """Return a name with the index that stands behind its superscript: `W^{(2)}_{ij}`."""
        index = self.peek().text.removeprefix("_")
        if self.peek().kind != "name" or self.peek().gap or not re.fullmatch(rf"_[{INDEX_LETTERS}]+", self.peek().text):
            return name
        self.take()
        return f"{name}{'' if TIE in name else TIE}{index}"

    def exponent(self, *, is_e: bool) -> Expression:
        """Read what stands behind `^`. Raises TwoReadingsError for `e^2x`."""
        signs = []
        while self.peek().text in ("+", "-"):
            signs.append(self.take().text)
        first = self.peek()
        if first.kind == "exponent":
            self.take()
            plain = first.text.removeprefix("+")
            tree: Expression = Unary("-", Name(plain[1:])) if plain.startswith("-") else Name(plain)
        else:
            tree = self.postfix()
        follows = self.peek()
        if is_e and first.kind == "number" and not follows.gap and follows.kind in ("name", "open"):
            text, other = f"e^({first.text}*{follows.text}...)", f"e^{first.text}*{follows.text}..."
            raise TwoReadingsError(f"e^{first.text}{follows.text}... has two readings: write {text} or {other}")
        if follows.kind == "operator" and follows.text in ("^", "**"):
            self.take()
            tree = Binary("**", tree, self.deeper(partial(self.exponent, is_e=False)))
        for sign in reversed(signs):
            tree = Unary(sign, tree)
        return tree

    def postfix(self) -> Expression:
        tree = self.primary()
        while True:
            token = self.peek()
            if token.kind == "turned" or (token.kind == "prime" and not token.gap) or token.text == ".'":
                self.take()
                tree = turned(tree, "ᵀ" if token.kind == "turned" else "'")
            elif token.kind == "attribute":
                tree = self.attribute(tree)
            elif token.text == "[" and not token.gap and isinstance(tree, Name) and self.is_index(tree.id):
                tree = self.index(tree)
            elif token.text == "T" and "T" not in self.names and self.tokens[self.place - 1].kind in ("close", "name"):
                self.take()  # a superscript that was lost: `X T`, `(1, 2)T`
                tree = turned(tree)
            else:
                return tree

    def attribute(self, receiver: Expression) -> Expression:
        name = self.take().text[1:]
        if isinstance(receiver, Name) and receiver.id.lower() in MODULES and receiver.id not in self.names:
            self.place -= 1
            self.tokens[self.place] = Token("name", name, self.peek().start, self.peek().end)
            return self.primary()
        if self.peek().text != "(":
            if name in self.names and name not in TURNS:  # Wolfram's A.x
                return Binary("@", receiver, Name(name))
            return turned(receiver, ".T") if name in TURNS else Attribute(receiver, name)
        arguments = self.arguments()
        if name in TURNS or (name in COPIES and not arguments):
            return turned(receiver, ".T") if name in TURNS else receiver
        if name in ("dot", "matmul", "mm", "mv") and len(arguments) == 1:
            return Binary("@", receiver, arguments[0].value)
        return Method(receiver, name, arguments)

    def is_index(self, name: str) -> bool:
        """Whether the bracket behind a name holds an index, and no factor."""
        inner = written(self.tokens[self.place + 1 : closing(self.tokens, self.place)])
        return name in self.names and (not self.is_scalar or re.fullmatch(r"[-\d,:]+", inner) is not None)

    def index(self, value: Expression) -> Expression:
        end = closing(self.tokens, self.place)
        text = written(self.tokens[self.place + 1 : end])
        if not re.fullmatch(r"[-\d,:]+", text):
            raise FaultError("", self.peek())
        self.place = end + 1
        return Index(value, tuple(Name(part) for part in text.split(",")))

    def primary(self) -> Expression:
        token = self.take()
        reader: Callable[[Token], Expression] | None = getattr(self, f"read_{token.kind}", None)
        if reader is None:
            raise FaultError("", token)
        return self.deeper(partial(reader, token))

    def read_number(self, token: Token) -> Expression:
        follows = self.peek()
        if follows.kind == "fraction" and follows.text != "frac":  # 1½
            return Binary("+", Name(token.text), self.read_fraction(self.take()))
        if follows.text == "frac" and token.text.isdigit() and (part := self.proper_fraction()):  # 3\frac{1}{2}
            return Binary("+", Name(token.text), part)
        if follows.kind == "open" and token.text == "1" and self.holds_condition(self.place):
            return self.indicator()
        if follows.kind == "dots":
            self.take()
            return periodic(token.text)
        if follows.text == "(" and not follows.gap and "." in token.text and self.peek(1).kind == "number":
            inner, end = self.peek(1).text, self.peek(2)
            is_last = self.peek(3).kind in ("end", "separator", "close", "row") or token.text.endswith(".")
            if inner.isdigit() and end.text == ")" and is_last:
                self.place += 3
                return periodic(token.text, inner)
        return Name(token.text)

    def proper_fraction(self) -> Expression | None:
        """Take a fraction behind a whole number that is part of it. Raises TwoReadingsError where a factor follows."""
        match = re.match(r"frac\{?(\d)\}?\{?(\d+)\}?", written(self.tokens[self.place : self.place + 7]))
        if match is None or int(match[1]) >= int(match[2]):
            return None
        whole = self.tokens[self.place - 1].text
        part = self.read_fraction(self.take())
        if self.peek().kind in ("name", "open", "root", "fraction"):
            text, other = f"{whole} + {match[1]}/{match[2]}", f"{whole}*{match[1]}/{match[2]}"
            raise TwoReadingsError(f"two readings: {text} or {other}: write the sum or the product")
        return part

    def read_fraction(self, token: Token) -> Expression:
        if token.text != "frac":
            above, below = token.text.split("/")
            return Binary("/", Name(above), Name(below))
        above_tree, below_tree = self.group(), self.group()
        return Binary("/", above_tree, below_tree)

    def group(self) -> Expression:
        """Read the braces behind a command, or the one digit in their place: `\\frac12`."""
        token = self.peek()
        if token.text == "{":
            return self.primary()
        if token.kind == "number" and token.text.isdigit() and len(token.text) > 1:
            first, rest = token.text[0], token.text[1:]
            self.tokens[self.place] = Token("number", rest, token.start + 1, token.end)
            return Name(first)
        return self.primary()

    def read_root(self, token: Token) -> Expression:
        if self.peek().text == "[":  # \sqrt[3]{x}
            end = closing(self.tokens, self.place)
            degree = written(self.tokens[self.place + 1 : end])
            self.place = end + 1
            return Binary("**", self.group(), Binary("/", Name("1"), Name(degree)))
        first = self.peek()
        inner = self.primary() if first.kind in ("open", "number", "name") else None
        if inner is None:
            raise FaultError("", first)
        follows = self.peek()
        if (
            first.kind != "open"
            and not follows.gap
            and (follows.kind in ("number", "name", "open") or follows.text in ("^", "**"))
        ):
            raise TwoReadingsError(f"√{first.text}{follows.text}... has two readings: write sqrt() with its brackets")
        return Call("sqrt", (Argument(inner),))

    def read_bar(self, token: Token) -> Expression:
        self.bars += 1
        inner = self.sum(spaced=False)
        self.bars -= 1
        if self.peek().text == "||" and token.text == "|":  # |x||y|
            self.tokens.insert(self.place, token)
            self.tokens[self.place + 1] = token
        if self.peek().kind != "bar" or self.peek().text != token.text:
            raise FaultError("a bar is not closed", token)
        self.take()
        subscript = self.peek()
        order = subscript.text if subscript.kind == "name" and subscript.text in ("_2", "_F", "_f", "_1") else ""
        if order:
            self.take()
        if order == "_1":
            return Call("sum", (Argument(Call("abs", (Argument(inner),))),))
        return Call("norm" if token.text in ("‖", "||") or order else "|", (Argument(inner),))

    def read_cases(self, token: Token) -> Expression:
        """Read LaTeX's cases, a value and its condition in each row."""
        tree = self.piecewise(in_cases=True)
        if self.take().kind != "close":
            raise FaultError("", token)
        return tree

    def holds_condition(self, start: int) -> bool:
        """Whether a comparison stands in a bracket, and in none inside it: `[x > 0]`, `1{x > 0}`."""
        inner = self.tokens[start + 1 : closing(self.tokens, start)]
        return any(inner[place].kind == "relation" and inner[place].text in COMPARES for place in outside(inner))

    def indicator(self) -> Expression:
        self.take()
        condition = self.comparison()
        if self.peek().kind != "close":
            raise FaultError("", self.peek())
        self.take()
        return where(condition, Name("1"), Name("0"))

    def read_open(self, token: Token) -> Expression:
        if self.holds_condition(self.place - 1):
            self.place -= 1
            return self.indicator()
        end = closing(self.tokens, self.place - 1)
        if end >= len(self.tokens):
            raise FaultError(f"unclosed '{token.text}'", token)
        tree = self.entries(end, token.text)
        if self.place != end:
            raise FaultError("", self.peek())
        if token.text + self.take().text not in ("[]", "()", "{}", "⟨⟩"):
            raise FaultError(f"unclosed '{token.text}'", token)
        if token.text == "⟨" and isinstance(tree, List) and len(tree.items) == 2 and names_in(tree) & self.names:
            return Binary("@", tree.items[0], tree.items[1])
        return tree

    def entries(self, end: int, bracket: str) -> Expression:
        """Read what stands in a bracket: one formula, a row, or rows with `;` or the end of a line between them."""
        start, end = self.place, min(end, len(self.tokens))
        form = self.form_of(end, bracket)
        self.bars += form.row == "|"
        rows, has_marks = self.rows(end, form)
        self.bars -= form.row == "|"
        rows = [row for row in ([entry for entry in row if entry != List(())] for row in rows) if row] or [rows[0]]
        if len(rows) == len(rows[0]) == 1:
            is_list = has_marks or (bracket == "[" and not form.is_group)
            return List((rows[0][0],)) if is_list and not self.is_factor(start, end, rows[0][0]) else rows[0][0]
        if len(rows) > 1 and all(len(row) == 1 and isinstance(row[0], List) for row in rows):  # [[1 2]; [3 4]]
            return List(tuple(row[0] for row in rows))
        return List(tuple(List(tuple(row)) for row in rows)) if len(rows) > 1 else List(tuple(rows[0]))

    def form_of(self, end: int, bracket: str) -> Form:
        """Return how the entries in a bracket are told apart."""
        marks = self.separators(end)
        is_ruled = "|" in marks and (";" in marks or (bracket in ("[", "(", "") and self.bars_stand_apart(end)))
        has_commas = "," in marks or "&" in marks or (is_ruled and ";" in marks)  # [1,5; 2,5 | 3,5; 4,5]
        in_braces = bracket == "{" and any(inner.kind == "name" for inner in self.tokens[self.place : end])  # of LaTeX
        is_group = (self.is_scalar or in_braces) and not {",", "&", ";"}.intersection(marks)
        spaced = not (has_commas or is_group) and (bracket not in ("(", "⟨") or ";" in marks)
        return Form("|" if is_ruled else ";", is_group, spaced, has_commas and bracket != "(")

    def rows(self, end: int, form: Form) -> tuple[list[list[Expression]], bool]:
        """Read the rows in a bracket, and whether there was a mark between two entries."""
        rows: list[list[Expression]] = [[]]
        is_after, has_marks = True, False  # a mark, or the start
        while self.place < end:
            token, is_line = self.peek(), self.peek().kind == "line"
            is_and = is_word(token, AND) and not is_after and token.text not in self.names
            if is_and or is_line or token.kind in ("row", "separator") or token.text == form.row == "|":
                self.take()
                ends_row = is_line and self.by_lines and not is_after and not isinstance(rows[-1][-1], List)
                if (ends_row or token.text == form.row) and rows[-1] and self.place < end:
                    rows.append([])
                is_after, has_marks = is_after or not is_line, has_marks or not is_line
            elif is_after or (form.spaced and (token.gap or token.text == "[" or self.peek(-1).kind == "line")):
                if token.text in ("(", "{") and not is_after:
                    break  # `(1) (2)` counts
                outer, self.in_row = self.in_row, form.in_row
                rows[-1].append(self.sum(spaced=form.spaced))
                self.in_row, is_after = outer, False
            else:
                break
        return rows, has_marks

    def is_factor(self, start: int, end: int, inner: Expression) -> bool:
        """Whether a bracket around the tokens from a place to another groups: a factor or a power is beside it."""
        before, behind = self.tokens[max(start - 2, 0) : start - 1], self.tokens[end + 1 : end + 2]
        beside = [*(t.text in (")", "]") or t.kind in ("number", "name", "turned") for t in before),
                  *(t.kind in ("open", "name", "turned") or t.text in ("^", "**") for t in behind)]  # fmt: skip
        return any(beside) and bool(names_in(inner) & self.names)

    def separators(self, end: int) -> list[str]:
        """Return the separators in a bracket, without those in brackets inside it."""
        inner = self.tokens[self.place : end]
        return [inner[place].text for place in outside(inner) if inner[place].kind in ("separator", "row", "bar")]

    def bars_stand_apart(self, end: int) -> bool:
        """Whether each bar in a bracket has spaces around it and entries on both sides: `[1 | -2 | 3]`."""
        inner = self.tokens[self.place : end]
        bars = [place for place in outside(inner) if inner[place].text == "|"]
        return all(0 < bar < len(inner) - 1 and inner[bar].gap and inner[bar + 1].gap for bar in bars)

    def arguments(self) -> tuple[Argument, ...]:
        """Read the arguments of a call, each a formula, some with a keyword."""
        self.take()
        arguments: list[Argument] = []
        while self.peek().kind not in ("close", "end"):
            keyword = None
            if self.peek().kind == "name" and self.peek(1).text == "=":
                keyword = self.take().text
                self.take()
            self.skip_lines()
            arguments.append(Argument(self.sum(spaced=False), {"axis": "dim"}.get(keyword or "", keyword)))
            self.skip_lines()
            if self.peek().kind != "separator":
                break
            self.take()
        if self.peek().kind != "close":
            raise FaultError("", self.peek())
        self.take()
        return tuple(arguments)

    def read_name(self, token: Token) -> Expression:
        follows = self.peek()
        calls = follows.text == "(" or (self.is_scalar and follows.text in ("[", "{"))
        if token.text.lower() in MAKERS and calls and token.text not in self.names:
            return self.made()
        if token.text.lower() in MODULES and follows.kind == "attribute" and token.text not in self.names:
            return Name(token.text)
        if token.text in INDICATORS and token.text not in self.names and follows.kind == "open":
            if self.holds_condition(self.place):
                return self.indicator()
            if token.text != "𝟙" and token.text != "I" and calls:
                (inner,) = self.arguments() or (Argument(Name("0")),)
                return where(Compare(">", inner.value, Name("0")), Name("1"), Name("0"))
        name = token.text
        base, index = indexed(name, self.names)
        if base:
            return Name(f"{base}{TIE}{index}")
        if name not in self.names and (total := SUM.fullmatch(name)) and (total["index"] or follows.text[:1] in "_{"):
            return self.total(total["index"] or "")
        lost = re.fullmatch(r"(\D+)\*\*(\d)", name)
        if lost:
            return Binary("**", Name(lost[1]), Name(lost[2]))
        if name in self.names or not is_function(name):
            return Name(name)
        if follows.kind == "prime" and name in UNARY and name not in EXPANDED:
            self.take()
            if self.peek().text == "(":
                return substitute(derivative_of(name), {"z": self.arguments()[0].value})
            raise FaultError("", follows)
        if follows.text in ("^", "**") and name in UNARY:  # sin²x, sin^{2}x
            self.take()
            is_braced = self.peek().text == "{"
            if is_braced:
                self.take()
            raised = self.take()
            if not re.fullmatch(r"[1-9]", raised.text) or (is_braced and self.take().text != "}"):
                raise TwoReadingsError(
                    f"{token.text}^{raised.text} has two readings: write a power or the inverse function"
                )
            return Binary("**", self.applied(name), Name(raised.text))
        if calls:
            return self.called(name)
        if name in UNARY:
            return self.applied(name)
        raise FaultError("", token)

    def total(self, letters: str) -> Expression:
        """Read a sum over indices behind its sign, `_i`, `_{i,j}` or `_{i=1}^n`, and what is summed."""
        before, lower, upper = self.tokens[max(self.place - 2, 0)], "", ""
        if not letters and self.peek().kind == "name":
            letters = self.take().text.removeprefix("_")
        elif not letters:
            end = closing(self.tokens, self.place)
            inner = written(self.tokens[self.place + 1 : end])
            self.place, (letters, _, lower) = end + 1, inner.replace(",", "").partition("=")
        if self.peek().text == "^":
            self.take()
            start = self.place
            self.primary()
            upper = written(self.tokens[start : self.place]).strip("{}()")
        if not re.fullmatch(rf"[{INDEX_LETTERS}]{{1,3}}", letters):
            raise FaultError(f"a sum over {letters!r} is not understood", before)
        is_divisor = before.text == "/"
        body = self.deeper(lambda: self.signed(spaced=False) if is_divisor else self.product(spaced=False))
        return Call(f"Σ{TIE}{letters}{TIE}{lower}{TIE}{upper}", (Argument(body),))

    def called(self, name: str) -> Expression:
        arguments = self.arguments()
        values = [argument.value for argument in arguments]
        if name in ("transpose", "t") and len(values) == 1:
            return turned(values[0])
        if name in ("dot", "matmul", "mm", "mv") and len(values) == 2:
            return Binary("@", values[0], values[1])
        if name in ("max", "min") and len(values) == 2 and not any(argument.keyword for argument in arguments):
            name += "imum"
        return expanded(name, arguments)

    def applied(self, name: str) -> Expression:
        """Read the argument of a function that may have no brackets: `sin 2x`. Raises TwoReadingsError."""
        if self.peek().text == "(" or (self.is_scalar and self.peek().text in ("[", "{")):
            return self.called(name)
        start, signs = self.place, []
        if self.peek().text in ("-", "+"):
            signs.append(self.take().text)
        factors: list[Expression] = []
        if self.peek().kind == "number":
            factors.append(self.read_number(self.take()))
        if self.peek().kind == "name" and not self.is_unary(self.peek()):
            factors.append(self.read_name(self.take()))
        if self.peek().text in ("^", "**") and factors:
            self.take()
            factors[-1] = Binary("**", factors[-1], self.exponent(is_e=False))
        if not factors:
            if self.peek().kind in ("root", "bar", "fraction", "open"):
                factors.append(self.primary())
            else:
                raise FaultError("", self.peek())
        follows = self.peek()
        is_value = follows.kind in ("number", "open") or (follows.kind == "name" and not self.is_unary(follows))
        if follows.text == "/" or is_value:
            inner, more = written(self.tokens[start : self.place]), follows.text
            text, other = f"{name}({inner})", f"{name}({inner}{more}...)"
            raise TwoReadingsError(f"{name} {inner}{more}... has two readings: write {text} or {other}")
        tree = factors[0] if len(factors) == 1 else Binary(" ", factors[0], factors[1])
        return expanded(name, (Argument(Unary(signs[0], tree) if signs else tree),))

    def is_unary(self, token: Token) -> bool:
        return token.text in UNARY and token.text not in self.names

    def made(self) -> Expression:
        """Read `tensor(2., grad_fn=<...>)` and `np.array([1, 2])`: what stands before the keywords."""
        end = closing(self.tokens, self.place)
        if end >= len(self.tokens):
            raise FaultError("unclosed '('", self.peek())
        self.take()
        stop, depth = end, 0
        for place in range(self.place, end):
            token = self.tokens[place]
            depth += (token.kind == "open") - (token.kind == "close")
            is_keyword = token.kind == "name" and place + 1 < end and self.tokens[place + 1].text == "="
            if depth == 0 and is_keyword and self.tokens[place - 1].text in (",", "("):
                stop = place - 1 if self.tokens[place - 1].text == "," else place
                break
        tree = self.entries(stop, "(")
        if self.place != stop:
            raise FaultError("", self.peek())
        self.place = end + 1
        return tree


AND = frozenset(("and", "und", "et", "y", "e", "i", "en", "и", "和"))
JOINING = CONDITION | ELSE | frozenset(MINUS) | (AND - {"e"})  # words that are no factors


def is_digits(name: str) -> bool:
    return name[:1] in "0123456789."


def is_word(token: Token, words: Collection[str]) -> bool:
    return token.kind == "name" and folded_word(token.text) in words


def written(tokens: Sequence[Token]) -> str:
    return "".join(token.text for token in tokens)


def turned(tree: Expression, mark: str = "ᵀ") -> Expression:
    return Call(mark, (Argument(tree),))


def expanded(name: str, arguments: tuple[Argument, ...]) -> Expression:
    """Return a call, in functions that the language has."""
    if name in EXPANDED and len(arguments) == 1:
        return substitute(parse_expression(Source(EXPANDED[name])), {"z": arguments[0].value})
    return Call(name, arguments)


def where(condition: Expression, value: Expression, other: Expression) -> Expression:
    return Call("where", (Argument(condition), Argument(value), Argument(other)))


def periodic(text: str, digits: str = "") -> Expression:
    """Return a decimal whose last digits go on for ever: `0.(3)`, `0.1(6)`, `0.333...`; others as they were typed."""
    repeated = re.fullmatch(r"(?P<start>\d*\.\d*?)(?P<digits>\d+?)(?P=digits){2,}", text)
    if not digits and (repeated is None or repeated["digits"] == "0"):
        return Name(text)
    start = text if digits else str(repeated["start"]) if repeated else text
    digits = digits or (repeated["digits"] if repeated else "")
    places = len(start.partition(".")[2])
    whole = start.replace(".", "") or "0"
    above = int(whole + digits) - int(whole)
    return Binary("/", Name(str(above)), Name(str((10 ** len(digits) - 1) * 10**places)))
