"""The quantities of questions: `s`, `dq/ds`, `∂q/∂s`, `s.grad`, `local ds/dx`, or an expression of a snippet."""

from __future__ import annotations

import ast
import re
from typing import Literal, NamedTuple

from gradcli.errors import GradcliError
from gradcli.language.names import read_name
from gradcli.language.parser import parse_program
from gradcli.source import Source

Kind = Literal[
    "value", "gradient", "local", "snippet", "printed", "raises", "choice",
    "higher", "jacobian", "hessian", "gradients", "entry",
]  # fmt: skip
WHOLE = ("higher", "jacobian", "hessian", "gradients", "entry")  # parts of derivatives, or several of them in one

_RATIO = re.compile(r"(?:[Ll]ocal\s+)?[d∂]\s*(?P<of>[^\s/()]+|\([^()]+\))\s*/\s*[d∂]\s*(?P<by>[^\s/()]+|\([^()]+\))")
_HIGHER = re.compile(r"[d∂]\s*\^?\{?(?P<order>[2-9])\}?\s*(?P<of>[^\s/()^]+|\([^()]+\))\s*/\s*(?P<by>.+)")
_MATRIX = re.compile(
    r"(?:(?:the|die|la|le|el)\s+)?(?P<kind>jacobian|hessian|hessian matrix|jacobian matrix|gradient|grad|∇|J|H)"
    r"(?:\s+(?:matrix\s+)?of\s+|[\s_(]*)(?P<of>[^\W\d]\w*)?\)?(?:\s*(?:,|by|in|wrt|\()?\s*(?P<by>\w+)\)?)?",
    re.IGNORECASE,
)
_MATRICES: dict[str, Kind] = {"j": "jacobian", "h": "hessian", "g": "gradients", "∇": "gradients"}
_ENTRY = re.compile(r"(?P<whole>[^\[\]]+?)\s*\[(?P<index>\s*\d+\s*(?:,\s*\d+\s*)*)\]")
_DIGITS = str.maketrans("²³⁴⁵⁶⁷⁸⁹", "23456789")


class Quantity(NamedTuple):
    """The value of `of`, or its derivative with respect to `by`; for a snippet `of` is an expression.

    A derivative of higher order has the variables in `by`, `x,y`; a Jacobian, a Hessian and the gradient over several
    numbers are by one variable, or by all where that is empty. Of one entry `of` is the whole, and `by` its index.

    The text that a snippet printed has the number of the line in `of`, "" for all lines; a choice has its label.
    """

    kind: Kind
    of: str
    by: str = ""

    def __str__(self) -> str:
        ratio = f"d{self.of}/d{self.by}"
        texts = {"gradient": ratio, "local": f"local {ratio}", "printed": f"printed line {self.of}", "raises": "raises"}
        names = self.by.split(",")
        by = "".join(f"d{name}{'' if (n := names.count(name)) == 1 else n}" for name in dict.fromkeys(names))
        matrix = " ".join(filter(None, (self.kind, self.of, self.by)))
        texts |= {"higher": f"d{len(names)}{self.of}/{by}", "jacobian": matrix, "hessian": matrix}
        if self.kind == "entry":
            return f"{self.of}[{self.by}]"
        return texts.get(self.kind, f"∇{self.of}" if self.kind == "gradients" else self.of)


def output_name(source: Source) -> str:
    """Return the name of a program's output, `output` where it has none; "" for a program that cannot be read."""
    try:
        return parse_program(source).statements[-1].target or "output"
    except GradcliError:
        return ""


def read_quantity(text: str, output: str) -> Quantity | None:
    """Read the name of a quantity, None for any other text; `s.grad` is the derivative of `output`."""
    text = text.strip()
    entry = _ENTRY.fullmatch(text)
    if entry:
        inner = read_quantity(entry["whole"], output)
        index = ", ".join(part.strip() for part in entry["index"].split(","))
        return Quantity("entry", str(inner), index) if inner and inner.kind in ("value", "gradient", "local") else None
    ratio = _RATIO.fullmatch(text)
    if ratio:
        of, by = (read_name(part.strip("() ")) for part in ratio.group("of", "by"))
        if of is None or by is None:
            return read_whole(text)
        return Quantity("local" if text.lower().startswith("local") else "gradient", of, by)
    if text.endswith(".grad"):
        leaf = read_name(text.removesuffix(".grad").strip())
        return Quantity("gradient", output, leaf) if leaf else None
    name = read_name(text)
    return Quantity("value", name) if name else read_whole(text)


def read_whole(text: str) -> Quantity | None:
    """Read `d2f/dx2`, `∂²f/∂x∂y`, `jacobian f x`, `hessian f` or `∇f`; None for any other text."""
    text = text.translate(_DIGITS)
    if match := _HIGHER.fullmatch(text):
        of, by = read_name(match["of"].strip("() ")), variables_of(match["by"], int(match["order"]))
        return Quantity("higher", of, ",".join(sorted(by))) if of and by else None
    matrix = _MATRIX.fullmatch(text)
    if matrix is None or not matrix["of"]:
        return None
    return Quantity(_MATRICES[matrix["kind"][0].lower()], matrix["of"], matrix["by"] or "")


def variables_of(text: str, order: int) -> list[str]:
    """Return the variables of `dx2`, `dxdy` or `∂x ∂y`, each as often as it is there; none if they are too few."""
    text = re.sub(r"[\s*·{}()]+|\^", "", text)
    for pattern in (r"[d∂]([^\W\d]\w*?)(\d?)(?=[d∂]|$)", r"[d∂]([^\W\d]\w*?\d*?)()(?=[d∂]|$)"):
        parts = re.findall(pattern, text)
        names = [name for name, times in parts for _ in range(int(times or 1))]
        is_whole = sum(1 + len(name) + len(times) for name, times in parts) == len(text)
        if is_whole and len(names) == order and all(map(read_name, names)):
            return names
    return []


def read_expression(text: str) -> Quantity | None:
    """Read a quantity of a snippet: any Python expression, in one spelling."""
    try:
        return Quantity("snippet", ast.unparse(ast.parse(text.strip(), mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
