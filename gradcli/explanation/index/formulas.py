"""The index formulas of one application of a primitive, as the primitive declares them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from typing import Any

from gradcli.engine.primitive import Primitive, Rule
from gradcli.engine.symbolic.indices import ELSEWHERE, Given
from gradcli.explanation.index.copies import placed_by
from gradcli.explanation.index.derivation import derivatives
from gradcli.explanation.index.parsing import equations
from gradcli.explanation.index.tree import Equation, total
from gradcli.facts import dataclass

POSITION = "position"
Finder = Callable[[Sequence[Any]], Given]  # the tensors that a formula mentions, from the values of the operands


@dataclass(frozen=True, slots=True)
class Formulas:
    """The forward formulas, and the formula of the gradient of an input.

    `tensors` are the values by the names in the formulas: the upstream gradient and the result first, under the names
    `upstream` and `result`, and those of the inputs. `given` says what the tensors are that are no inputs.
    """

    forward: tuple[Equation, ...]
    gradient: Equation | None
    tensors: Mapping[str, Any]
    upstream: str
    result: str
    inputs: tuple[str, ...]
    given: Mapping[str, str] = field(default_factory=dict)


def formulas(
    primitive: Primitive, g: Any, result_value: Any, inputs: Sequence[Any], options: Mapping[str, Any], position: int
) -> Formulas | None:
    """Return the formulas for the input at a position; None of a primitive without them."""
    if not primitive.index:
        return None
    upstream, result, *names = names_of(primitive, len(inputs), position)
    declaration = _declared(primitive, result_value, inputs, options, position)
    if declaration == ELSEWHERE:
        declaration = placed_by(primitive, inputs, options, position, names[position])
    if not declaration:
        return None
    text, extra = (declaration, {}) if isinstance(declaration, str) else declaration
    forward, gradient = read_formulas(text, names[position], upstream)
    result = forward[0].left.tensor if forward else result
    tensors = {upstream: g, result: result_value, **dict(zip(names, inputs, strict=True))}
    tensors.update({name: value for name, (_, value) in extra.items()})
    tensors.update({f"∂{name}": tensors[name] for name in names})
    words = {name: text for name, (text, _) in extra.items()}
    return Formulas(forward, gradient, tensors, upstream, result, tuple(names), words)


def read_formulas(text: str, input: str, upstream: str) -> tuple[tuple[Equation, ...], Equation | None]:
    """Return the formulas of a result, and the formula of an input's gradient: derived, unless the text has it."""
    all_equations = equations(text)
    forward = tuple(equation for equation in all_equations if not equation.left.name.startswith("∂"))
    own_gradient = [equation for equation in all_equations if equation.left.tensor == f"∂{input}"]
    return forward, together(own_gradient or [d for x in forward for d in derivatives(x, input, upstream)])


def _declared(
    primitive: Primitive, result: Any, inputs: Sequence[Any], options: Mapping[str, Any], position: int
) -> str | tuple[str, Given] | None:
    """Return the text, perhaps with the tensors that it mentions beside the inputs."""
    if isinstance(primitive.index, str):
        return primitive.index.format(**{**_defaults(primitive), **options})
    place = {POSITION: position} if primitive.variadic else {}
    return primitive.index(result, *inputs, **options, **place)  # type: ignore[no-any-return]


@cache
def names_of(primitive: Primitive, count: int, position: int) -> list[str]:
    """Return the names of the upstream gradient, the result and the inputs, as the rules call them."""
    rule: Rule = next(rule for rule in primitive.rules if rule is not None)
    parameters = inspect.signature(rule).parameters.values()
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    variadic = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "more")
    if primitive.variadic:  # the formula is about one of the inputs
        return [*names, *("x" if n == position else f"{variadic}{n}" for n in range(count))]
    return [*names, *(f"{variadic}{n}" for n in range(count - len(names) + 2))][: count + 2]


def _defaults(primitive: Primitive) -> dict[str, Any]:
    """Return the defaults of the options."""
    rule: Rule = next(rule for rule in primitive.rules if rule is not None)
    parameters = inspect.signature(rule).parameters.values()
    return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is not p.empty}


def together(gradients: Sequence[Equation]) -> Equation | None:
    """Return one equation for a tensor that occurs in several places."""
    if not gradients:
        return None
    first = gradients[0]
    if any(equation.left != first.left for equation in gradients):
        raise ValueError(f"several formulas: {gradients}")
    return replace(first, right=total(*(equation.right for equation in gradients)))
