"""Records the shortest forms of derivatives in sympy, in minutes: `python -m tests.language.simplify.record textbook`.

The lists hold a function a line, with the variable of the derivative; the records stand beside them.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import sympy

from gradcli.language.parser import parse_expression
from gradcli.language.simplify.trees import length
from gradcli.language.tree import Binary, Call, Expression, Name, Number, Unary, fold
from gradcli.source import Source

HERE = Path(__file__).parent
PATIENCE = 20  # seconds for one of sympy's functions

FORMS: dict[str, Callable[[Any], Any]] = {
    "diff": lambda f: f,
    "simplify": sympy.simplify,
    "factor": sympy.factor,
    "expand": sympy.expand,
    "together": sympy.together,
    "cancel": sympy.cancel,
    "apart": sympy.apart,
    "trigsimp": sympy.trigsimp,
    "powsimp": sympy.powsimp,
    "radsimp": sympy.radsimp,
    "factor of simplify": lambda f: sympy.factor(sympy.simplify(f)),
    "simplify of factor": lambda f: sympy.simplify(sympy.factor(f)),
    "simplify of expand": lambda f: sympy.simplify(sympy.expand(f)),
    "powsimp of factor": lambda f: sympy.powsimp(sympy.factor(f)),
    "collect": lambda f: sympy.rcollect(sympy.expand(f), *sorted(f.free_symbols, key=str)),
}
OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
}
FUNCTIONS = {
    "abs": sympy.Abs,
    "relu": lambda x: sympy.Max(0, x),
    "sigmoid": lambda x: 1 / (1 + sympy.exp(-x)),
    "softplus": lambda x: sympy.log(1 + sympy.exp(x)),
    "log1p": lambda x: sympy.log(1 + x),
    "expm1": lambda x: sympy.exp(x) - 1,
    "rsqrt": lambda x: 1 / sympy.sqrt(x),
}


def listed(name: str) -> Iterator[tuple[str, str]]:
    """Yield the functions of a list with their variables."""
    for line in (HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            function, variable = line.split(" | ")
            yield function, variable


def in_sympy(tree: Expression) -> Any:
    def combine(node: Expression, parts: Sequence[Any]) -> Any:
        match node:
            case Name():
                return sympy.pi if node.id == "pi" else sympy.Symbol(node.id, real=True)
            case Number():
                return sympy.Rational(str(node.value))
            case Unary():
                return -parts[0] if node.operator == "-" else parts[0]
            case Binary():
                return OPERATORS[node.operator](*parts)
            case Call():
                return (FUNCTIONS.get(node.function) or getattr(sympy, node.function))(*parts)
        raise TypeError(node)

    return fold(tree, combine)


def derivative(function: str, variable: str) -> Any:
    return sympy.diff(in_sympy(parse_expression(Source(function))), sympy.Symbol(variable, real=True))


def shortest(function: str, variable: str) -> tuple[int, str]:
    """Return the length of sympy's shortest form of a derivative, and the form."""
    found = derivative(function, variable)
    texts = set()
    for form in FORMS.values():
        signal.alarm(PATIENCE)
        with suppress(TimeoutError, NotImplementedError, sympy.PolynomialError, AttributeError):
            texts.add(str(form(found)))
        signal.alarm(0)
    return min((length(parse_expression(Source(text))), text) for text in texts if "Piecewise" not in text)


def _stop(*_: object) -> None:
    raise TimeoutError


def main(names: Sequence[str]) -> None:
    signal.signal(signal.SIGALRM, _stop)
    for name in names:
        found = {f"{function} | {variable}": shortest(function, variable) for function, variable in listed(name)}
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
        (HERE / f"{name}.json").write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
