"""Hostile arguments for every operation: its own examples with a number, a shape or an argument that nobody expects."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import numpy as np

from gradcli.explanation.values import Variables, constant
from gradcli.language.parser import parse_program
from gradcli.language.tree import Call, Expression, List, Literal, Method, Number, Tuple, Unary, postorder
from gradcli.ops.support.surface import OPERATIONS
from gradcli.source import Source, Span

NUMBERS = (np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0, -1.0, 0.5, 2.0**62)
HUGE = 2**62
ARGUMENTS = (
    *("nan", "inf", "-inf", "1e308", "-1e308", "5e-324", "0.5", "0", "-1", "1", "2", "100000000"),
    *(f"{HUGE}", f"-{HUGE}", "(10**30)", "True", "None", "'mean'", "'no'", "''", "()", "(0, 1)", "(-1,)"),
    *("-2147483648", "2147483648"),  # at which numbers of C begin and end
    *("(100000000,)", f"({HUGE}, 4)", "[]", "[nan]", "[[1], [1, 2]]", "[1e308, -1e308]", "[[nan, 1], [1, inf]]"),
    *("[[[[1]]]]", "zeros((0, 2))", "(ones(3) < 2)", "arange(4)"),
)


class Case(NamedTuple):
    """A program, and the values of its variables in place of the ones that it gives them."""

    program: str
    values: dict[str, Any]

    @property
    def command(self) -> str:
        """The command line that does the same."""
        given = [f"{name}={np.asarray(value).tolist()}".replace(" ", "") for name, value in self.values.items()]
        return " ".join(["gradcli eval", f'"{self.program}"', *given])


class Example:
    """An example of an operation, with the places where it can be changed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.program = parse_program(Source(text))
        variables = Variables.of(self.program)
        self.point = {
            name: np.array(constant(statement.value, self.program.source), np.float64)
            for name, statement in variables.literals.items()
        }
        trees = [s.value for s in self.program.statements if s not in variables.literals.values()]
        nodes = [node for tree in trees for node in postorder(tree)]
        inner = {id(part) for node in nodes if isinstance(node, Unary | List | Tuple) for part in postorder(node)}
        inner -= {id(node) for node in nodes if isinstance(node, Unary | List | Tuple)}
        plain = (Number, Literal, List, Tuple, Unary)
        self.arguments = [node.span for node in nodes if isinstance(node, plain) and id(node) not in inner]
        self.calls = [node for node in nodes if isinstance(node, Call | Method)]

    def with_text(self, span: Span, text: str) -> str:
        return self.text[: span.start] + text + self.text[span.end :]

    def additions(self, call: Expression) -> Iterator[str]:
        """The keywords that a call does not give yet."""
        assert isinstance(call, Call | Method)
        operation = OPERATIONS[call.function if isinstance(call, Call) else call.name]
        given = len(call.arguments) + isinstance(call, Method)
        keywords = {argument.keyword for argument in call.arguments}
        positional = [p for p in operation.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
        taken = {p.name for p in positional[: given - len(keywords - {None})]} | keywords
        for name, parameter in operation.parameters.items():
            if name not in taken and parameter.kind is not parameter.VAR_POSITIONAL:
                yield name

    def with_keyword(self, call: Expression, name: str, text: str) -> str:
        end = call.span.end - 1
        comma = "" if self.text[end - 1] == "(" else ", "
        return self.text[:end] + f"{comma}{name}={text}" + self.text[end:]

    def numbers(self) -> Iterator[Case]:
        """Every variable, then each alone, filled with one number; then one entry of each."""
        for number in NUMBERS:
            yield Case(self.text, {name: np.full_like(x, number) for name, x in self.point.items()})
            for name, x in self.point.items():
                if len(self.point) > 1:
                    yield Case(self.text, {name: np.full_like(x, number)})
                if x.size > 1:
                    yield Case(self.text, {name: entry_changed(x, number)})

    def shapes(self) -> Iterator[Case]:
        """Each variable in another shape: empty, without or with one more dimension."""
        for name, x in self.point.items():
            for shape in reshaped(x.shape):
                yield Case(self.text, {name: np.resize(x, shape)})
        for number in (0, 1):
            yield Case(self.text, {name: x[..., :number] if x.ndim else x for name, x in self.point.items()})
            yield Case(self.text, {name: x[:number] if x.ndim else x for name, x in self.point.items()})

    def words(self) -> Iterator[Case]:
        """Each argument replaced, and each keyword that is not given added."""
        for span in self.arguments:
            yield from (Case(self.with_text(span, text), {}) for text in ARGUMENTS)
        for call in self.calls:
            for name in self.additions(call):
                yield from (Case(self.with_keyword(call, name, text), {}) for text in ARGUMENTS)

    def cases(self) -> list[Case]:
        """All cases with one change."""
        return [*self.numbers(), *self.shapes(), *self.words()]

    def random(self, random: Random) -> Case:
        """Several changes at once."""
        values = {}
        for name, x in self.point.items():
            if random.random() < 0.5:
                shape = random.choice([x.shape] * 6 + list(reshaped(x.shape)))
                values[name] = np.array(random.choices([*NUMBERS, 1.0, 2.0], k=int(np.prod(shape)))).reshape(shape)
        changed = self.text
        if self.arguments and random.random() < 0.6:
            changed = self.with_text(random.choice(self.arguments), random.choice(ARGUMENTS))
        elif self.calls and (names := list(self.additions(call := random.choice(self.calls)))):
            changed = self.with_keyword(call, random.choice(names), random.choice(ARGUMENTS))
        return Case(changed, values)


def entry_changed(x: Any, number: float) -> Any:
    changed = x.copy()
    changed.flat[x.size // 2] = number
    return changed


def reshaped(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    empty = ((0,), (0, *shape[1:]), (*shape[:-1], 0), (2, 0, 2))
    yield from dict.fromkeys((*empty, (1, *shape), (2, *shape), (), shape[1:], (1,), (3, 3)))
