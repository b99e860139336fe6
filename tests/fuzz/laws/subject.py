"""A program with its values, explained: what the laws are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from gradcli.explanation.build import explain
from gradcli.explanation.derivatives import total
from gradcli.explanation.formulas.simplified import simplified
from gradcli.explanation.model import Explanation
from gradcli.explanation.numeric.function import Function
from gradcli.explanation.values import Variables, apart, constant, placeholders, rounding_of, value_of
from gradcli.language.parser import parse_expression, parse_program
from gradcli.language.tree import Expression, Program
from gradcli.source import Source
from tests.fuzz.laws import precise

ENDING_AT_ONE = ("asin", "acos", "acosh", "atanh")
EDGE = 1e-6  # from the end of a domain
THRESHOLD = 20  # of softplus, as torch has it
POINTS = 4  # at which formulas are compared, besides that of the program


def read(arguments: Sequence[str]) -> tuple[Program, dict[str, Any]]:
    """Return a program and the values that stand behind it, as on a command line."""
    text, *bindings = arguments
    values = {}
    for name, _, written in (binding.partition("=") for binding in bindings):
        source = Source(written)
        values[name] = np.asarray(constant(parse_expression(source), source), np.float64)[()]
    return parse_program(Source(text)), values


@dataclass(frozen=True)
class Subject:
    """A program with its values, explained; what several laws need is computed once."""

    program: Program
    values: Mapping[str, Any]

    @cached_property
    def raw(self) -> Explanation:
        return explain(self.program, self.values, upstream=self.seed)

    @cached_property
    def seed(self) -> Any:
        return total.ones_like_output(self.program, self.values, None)

    @cached_property
    def explanation(self) -> Explanation:
        return simplified(self.raw)

    @cached_property
    def symbolic(self) -> Explanation:
        """The formulas as they are without values."""
        tensors = {name: value for name, value in self.values.items() if np.ndim(value)}
        made_up = {**placeholders(self.program, tensors), **tensors}
        seed = total.ones_like_output(self.program, made_up, None)
        return simplified(explain(self.program, made_up, upstream=seed), at_any_point=True)

    @cached_property
    def function(self) -> Function:
        return Function(self.program, None, 1.0 if self.seed is None else self.seed, dict(self.values))

    @property
    def is_smooth(self) -> bool:
        """Whether no convention decided about the gradient."""
        return not any(note.code in ("kink", "tie") for note in self.raw.notes)

    @property
    def is_of_one_piece(self) -> bool:
        """Whether a formula for any point is the one here, too: softplus above its threshold is the identity."""
        return not any(node.op == "softplus" and np.any(node.value > THRESHOLD) for node in self.raw.nodes)

    @property
    def is_told_not_finite(self) -> bool:
        return any(note.code in ("not-finite", "gradient-not-finite") for note in self.raw.notes)

    @property
    def is_of_numbers(self) -> bool:
        return not any(np.ndim(value) for value in self.raw.point.values()) and self.seed is None

    @cached_property
    def exact(self) -> dict[str, Any]:
        return {name: precise.exact(value) for name, value in self.variables.items()}

    @cached_property
    def variables(self) -> dict[str, Any]:
        """The values of variables, also of those that are assigned a number in the program."""
        given = {*self.values, *Variables.of(self.program).literals}
        return {name: value for name, value in self.raw.point.items() if name in given}

    @cached_property
    def is_at_an_edge(self) -> bool:
        """Whether an argument is so near the end of a domain that its last digit decides about the slope."""
        value_of_node = {node.id: node.value for node in self.raw.nodes}
        arguments = [value_of_node[node.inputs[0]] for node in self.raw.nodes if node.op in ENDING_AT_ONE]
        return any(np.any(np.abs(np.abs(argument) - 1) < EDGE) for argument in arguments)

    @cached_property
    def noise(self) -> float:
        """How much rounding there is in the output."""
        if self.is_at_an_edge:
            return np.inf
        sizes = [apart(0.0, node.value) for node in self.raw.nodes]
        return float(np.finfo(np.float64).eps) * max(sizes, default=1.0) * len(sizes)

    def noise_with(self, formula: Expression | None) -> float:
        """Return how much there is in the output and in a formula, which takes long to find out."""
        return max(self.noise, rounding_of(self.raw.point, formula) if formula and self.noise < np.inf else 0.0)

    def is_alike(self, are_alike: Callable[[float], bool], formula: Expression | None, times: float = 1) -> bool:
        """Tell whether numbers are alike but for so many times the rounding of the output, or that of a formula."""
        return are_alike(times * self.noise) or (formula is not None and are_alike(times * self.noise_with(formula)))

    @cached_property
    def points(self) -> list[dict[str, Any]]:
        """Other points: decimals of both signs, away from 0 and 1."""
        random = Random(0)
        return [{name: drawn(random, np.shape(value)) for name, value in self.values.items()} for _ in range(POINTS)]


def drawn(random: Random, shape: tuple[int, ...]) -> Any:
    entries = [round(random.choice([1, 1, -1]) * random.uniform(0.2, 3.1), 2) for _ in range(int(np.prod(shape)))]
    return np.reshape(entries, shape)[()]


def in_names(explanation: Explanation, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with those of the named intermediates."""
    known = {explanation.seed_name: explanation.upstream, **values}
    for part in explanation.intermediates:
        known[part.name] = value_of(part.expression, known)
    return known
