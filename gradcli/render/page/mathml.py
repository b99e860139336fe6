"""Formulas, numbers and derivatives as MathML, each name in the colour of its node."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.explanation.model import Explanation, Local, Unkept, Value
from gradcli.language.tree import (
    Argument,
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    List,
    Method,
    Name,
    Number,
    Unary,
    fold,
)
from gradcli.language.unparser import Precedence, precedence, unparse
from gradcli.render.lesson.readable import each_part, readable
from gradcli.render.page.document import Html, cut, element, joined
from gradcli.render.text.numbers import number, short

COLOURS = 8
LONGEST = 24  # characters of a name
WIDEST = 60  # characters of a formula that is no mathematics, such as a list
ENOUGH = 4  # significant digits of an entry of a matrix; the table and the data have more
WHOLE = 6  # rows and columns of a matrix that is written out
MIDDLING = 4  # columns; the letters of a wider one are smaller
TALL = ("<mfrac", "<table", "<msqrt")
SIGNS = {"*": "·", "-": "−", "<=": "≤", ">=": "≥", "!=": "≠", "==": "="}
Part = tuple[Html, int]  # markup, and the level at which it stands without parentheses


def mi(text: str, **attributes: str | None) -> Html:
    """Return a name; of `x1` and `v12` the digits stand low."""
    match = re.fullmatch(r"([^\W\d_]+)_?(\d{1,3})", text)
    if match is None:
        return element("mi", cut(text, LONGEST), **attributes)
    return element("msub", element("mi", match[1]), element("mn", match[2]), **attributes)


def mo(text: str) -> Html:
    return element("mo", text)


def row(*parts: str | None) -> Html:
    return element("mrow", *parts)


def spread(*pieces: Html, small: bool = False) -> Html:
    """Return a formula below the text, whose lines may be broken between its pieces; browsers break no formula."""
    shown = [element("math", piece, displaystyle="true") for piece in pieces]
    return element("div", *shown, class_="equation small" if small else "equation")


def after(sign: str, *parts: str | None) -> Html:
    """Return a piece of a formula that begins with the sign between it and the piece before.

    The empty name keeps apart a sign and a text, which together would be one operator to a browser.
    """
    return row(element("mo", sign, form="infix"), element("mi"), *parts)


def in_line(*parts: str | None) -> Html:
    """Return a formula within a sentence."""
    return element("math", *parts)


def in_parentheses(*parts: Html) -> Html:
    """Return parts in parentheses, which grow with what is tall; browsers set stretched ones apart from a low text."""
    grows = None if any(tall in part for part in parts for tall in TALL) else "false"
    return row(element("mo", "(", stretchy=grows), *parts, element("mo", ")", stretchy=grows))


class Paint:
    """The colours of the nodes of an explanation, and what is written in them."""

    def __init__(self, explanation: Explanation, differentiated: str, precision: int = 6) -> None:
        nodes = [node.id for node in explanation.nodes if node.kind != "constant" or node.expression == Name(node.name)]
        self.colours: Mapping[str, str] = {id: f"c{place % COLOURS}" for place, id in enumerate(nodes)}
        self.differentiated = differentiated
        self.precision = precision
        self.ranks = {node.id: len(node.shape) for node in explanation.nodes}
        self.ranks |= {x.name: self.ranks[x.gradient_of] for x in explanation.intermediates if x.gradient_of}

    def name(self, id: str) -> Html:
        """Return the symbol of a node, or of anything else that has a name."""
        return mi(id, class_=self.colours.get(id))

    def derivative(self, of: str, by: str) -> Html:
        """Return `∂z/∂x` as a fraction."""
        return element("mfrac", row(mo("∂"), self.name(of)), row(mo("∂"), self.name(by)))

    def local(self, of: str, local: Local) -> Html:
        """Return a local derivative; what is held, though it depends on the variable, stands below a bar."""
        symbol = self.derivative(of, local.input)
        if not local.held:
            return symbol
        names = [self.name(held) for held in local.held]
        bar = element("mo", "|", stretchy="true", form="postfix")
        return element("msub", row(symbol, bar), row(names[0], *(row(mo(","), name) for name in names[1:])))

    def total(self, by: str) -> Html:
        """Return the derivative of what is differentiated."""
        return self.derivative(self.differentiated, by)

    def number(self, value: Value, precision: int | None = None) -> Html:
        """Return a number with a proper minus, a small matrix in brackets, and of a large one the beginning."""
        if np.ndim(value) == 0:
            return digits(short(value, precision or self.precision))
        array = np.asarray(value)
        if isinstance(value, Unkept) or not array.size:
            return element("mtext", short(value, self.precision))
        return element("mtext", matrix(array, min(self.precision, ENOUGH)))

    def typed(self, tree: Expression, given: Mapping[str, Html] | None = None) -> Html:
        """Return an expression of the program; `given` is written in place of some names."""
        tree = readable(tree, self.ranks, is_typed=True)
        return fold(tree, lambda node, parts: self.part(node, parts, given or {}))[0]

    def formula(
        self, tree: Expression, given: Mapping[str, Html] | None = None, ranks: Mapping[str, int] | None = None
    ) -> Html:
        """Return a formula; `ranks` are those of names that are not of the program, as of `g`."""
        known = self.ranks | dict(ranks or {})
        each, where = each_part(tree, known)
        content = fold(readable(each, known), lambda node, parts: self.part(node, parts, given or {}))[0]
        return row(content, element("mtext", f"\u2002{where.strip()}")) if where else content

    def factor(self, tree: Expression) -> Html:
        """Return an expression as a factor of a product."""
        part = fold(tree, lambda node, parts: self.part(node, parts, {}))
        return within(part, Precedence.POWER)

    def part(self, node: Expression, parts: Sequence[Part], given: Mapping[str, Html]) -> Part:
        """Return a node of an expression over the markup of its children."""
        match node:
            case Name(id):
                return (given[id] if id in given else self.name(id)), Precedence.PRIMARY
            case Number():
                return digits(number(node.value, self.precision)), precedence(node)
            case Unary():
                return row(mo(SIGNS.get(node.operator, node.operator)), within(parts[0], Precedence.SIGNED)), (
                    Precedence.SIGNED
                )
            case Binary(operator="/"):  # with a bar, which is as good as parentheses
                return element("mfrac", parts[0][0], parts[1][0]), Precedence.POWER
            case Binary(operator="**"):
                return element("msup", within(parts[0], Precedence.PRIMARY), parts[1][0]), Precedence.POWER
            case Binary(operator="@"):  # products of matrices stand side by side, as in textbooks
                space = element("mspace", width="0.2em")
                level = precedence(node)
                return row(within(parts[0], level), space, within(parts[1], level + 1)), level
            case Binary() | Compare():
                level = precedence(node)
                sign = mo(SIGNS.get(node.operator, node.operator))
                return row(within(parts[0], level), sign, within(parts[1], level + 1)), level
            case Call(function="sqrt") if len(parts) == 1:
                return element("msqrt", parts[0][0]), Precedence.PRIMARY
            case Call():
                return row(element("mi", node.function), arguments(node.arguments, parts)), Precedence.PRIMARY
            case Method():
                receiver = within(parts[0], Precedence.PRIMARY)
                called = arguments(node.arguments, parts[1:])
                return row(receiver, mo("."), element("mi", node.name), called), Precedence.PRIMARY
            case List((Compare(),)):
                return row(mo("["), parts[0][0], mo("]")), Precedence.PRIMARY
            case Attribute(name="T"):
                return element("msup", within(parts[0], Precedence.PRIMARY), element("mo", "⊤")), Precedence.PRIMARY
        return element("mtext", cut(unparse(node, multiply="·"), WIDEST)), precedence(node)


def matrix(array: Value, precision: int) -> Html:
    """Return a matrix as a table, its numbers one below the other at their points; of a large one the corners.

    Of several, as of images and filters, it is the first.
    """
    grid = np.atleast_2d(array)
    grid = grid.reshape(-1, int(grid.shape[-2]), int(grid.shape[-1]))
    several, grid = len(grid), grid[0]
    rows, columns = (places(length) for length in grid.shape)
    texts = [["⋮" if i is None else "⋯" if j is None else number(grid[i, j], precision) for j in columns] for i in rows]
    after = [max(len(line[at].partition(".")[2]) for line in texts) for at in range(len(columns))]
    lines = [
        element(
            "tr",
            *(cell(i, j, text, most) for (j, most), text in zip(zip(columns, after, strict=True), line, strict=True)),
        )
        for i, line in zip(rows, texts, strict=True)
    ]
    is_told = array.ndim > 2 or None in (*rows, *columns)
    first = f", [{'0, ' * (array.ndim - 2)}:, :] of it" if several > 1 else ""
    note = element("caption", f"{' × '.join(map(str, array.shape))}{first}") if is_told else None
    wide = "wide" if len(columns) > MIDDLING else None
    return element("table", note, element("tbody", *lines), data_matrix="", class_=wide)


def places(length: int) -> list[int | None]:
    """Return the rows or columns of a matrix that are shown; None stands for those between."""
    return [*range(length)] if length <= WHOLE else [0, 1, None, length - 1]


def cell(i: int | None, j: int | None, text: str, most: int) -> Html:
    """Return an entry with room behind it for as many digits after the point as others have."""
    point = text.partition(".")[2]
    room = "\u2007" * (most - len(point)) + ("\u2008" if most and not point else "")
    entry = f"{i},{j}" if None not in (i, j) else None
    return element("td", f"{text.replace('-', '−')}{room if entry else ''}", data_entry=entry)


def arguments(given: Sequence[Argument], parts: Sequence[Part]) -> Html:
    """Return the arguments of a call in their parentheses."""
    pieces = [
        row(element("mtext", f"{argument.keyword}="), part) if argument.keyword else part
        for argument, (part, _) in zip(given, parts, strict=True)
    ]
    return in_parentheses(*[x for piece in pieces for x in (mo(","), piece)][1:])


def within(part: Part, loosest: int) -> Html:
    """Return the markup of a part, in parentheses where it is looser than a place allows."""
    markup, level = part
    return in_parentheses(markup) if level < loosest else markup


def digits(text: str) -> Html:
    """Return the digits of a number; a power of ten is written as one."""
    match = re.fullmatch(r"(-?)(inf|nan|[\d.]+)(?:e([-+]?)0*(\d+))?", text)
    if match is None:
        return element("mtext", text)
    minus, mantissa, sign, exponent = match.groups()
    plain = element("mn", mantissa.replace("inf", "∞"))
    if exponent is not None:
        power = element("mn", f"{'−' if sign == '-' else ''}{exponent}")
        plain = joined(plain, mo("·"), element("msup", element("mn", "10"), power))
    return row(mo("−"), plain) if minus else plain if exponent is None else row(plain)


def factor(number: Html) -> Html:
    """Return a number as a factor: a negative one in parentheses."""
    return in_parentheses(number) if number.startswith("<mrow><mo>−") else number
