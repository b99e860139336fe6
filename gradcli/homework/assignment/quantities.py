"""The quantities of questions: `s`, `dq/ds`, `∂q/∂s`, `s.grad`, `local ds/dx`, or an expression of a snippet."""

from __future__ import annotations

import ast
import re
from typing import Literal, NamedTuple

from gradcli.errors import GradcliError
from gradcli.language.names import read_name
from gradcli.language.parser import parse_program
from gradcli.source import Source

Kind = Literal["value", "gradient", "local", "snippet", "printed", "raises", "choice"]

_RATIO = re.compile(r"(?:[Ll]ocal\s+)?[d∂]\s*(?P<of>[^\s/()]+|\([^()]+\))\s*/\s*[d∂]\s*(?P<by>[^\s/()]+|\([^()]+\))")


class Quantity(NamedTuple):
    """The value of `of`, or its derivative with respect to `by`; for a snippet `of` is an expression.

    The text that a snippet printed has the number of the line in `of`, "" for all lines; a choice has its label.
    """

    kind: Kind
    of: str
    by: str = ""

    def __str__(self) -> str:
        ratio = f"d{self.of}/d{self.by}"
        told = {"gradient": ratio, "local": f"local {ratio}", "printed": f"printed line {self.of}", "raises": "raises"}
        return told.get(self.kind, self.of)


def output_name(source: Source) -> str:
    """Return the name of a program's output, `output` where it has none; "" for a program that cannot be read."""
    try:
        return parse_program(source).statements[-1].target or "output"
    except GradcliError:
        return ""


def read_quantity(text: str, output: str) -> Quantity | None:
    """Read the name of a quantity, None for any other text; `s.grad` is the derivative of `output`."""
    text = text.strip()
    ratio = _RATIO.fullmatch(text)
    if ratio:
        of, by = (read_name(part.strip("() ")) for part in ratio.group("of", "by"))
        if of is None or by is None:
            return None
        return Quantity("local" if text.lower().startswith("local") else "gradient", of, by)
    if text.endswith(".grad"):
        leaf = read_name(text.removesuffix(".grad").strip())
        return Quantity("gradient", output, leaf) if leaf else None
    name = read_name(text)
    return Quantity("value", name) if name else None


def read_expression(text: str) -> Quantity | None:
    """Read a quantity of a snippet: any Python expression, in one spelling."""
    try:
        return Quantity("snippet", ast.unparse(ast.parse(text.strip(), mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
