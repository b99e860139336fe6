"""A step that lies in the graph: the formulas of the update, computed with tensors.

In torch other operations make the same numbers, so the nodes of the results are not told.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.memory.in_place import write_over
from gradcli.engine.modes import set_grad_enabled
from gradcli.engine.tensor import Tensor
from gradcli.language.tree import Name, fold
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch.optim import formulas
from gradcli.script.torch.optim.state import scalar
from gradcli.script.torch.tensor.printing import UNTOLD

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "**": operator.pow,
    "<": operator.lt, ">": operator.gt, "abs": lambda x: ops.abs(x), "clip": lambda *x: ops.clamp(*x),
    "maximum": lambda *x: ops.maximum(*x), "sign": lambda x: ops.sign(x), "sqrt": lambda x: ops.sqrt(x),
    "where": lambda *x: ops.where(*x),
}  # fmt: skip
OF_TENSORS = ("maximum", "where")  # the functions that take no plain numbers


def step(
    parameter: Tensor, state: dict[str, Any], lines: Callable[..., Iterable[str]], symbols: Mapping[str, str],
    options: Mapping[str, Any],
) -> None:  # fmt: skip
    """Change a parameter and its state by an update that gradients flow through."""
    if any(isinstance(value, Tensor) for value in options.values()):
        raise UnsupportedError("a differentiable step with an option that is a tensor is not supported here")
    with set_grad_enabled(True):
        _update(parameter, state, lines, symbols, options)


def _update(
    parameter: Tensor, state: dict[str, Any], lines: Callable[..., Iterable[str]], symbols: Mapping[str, str],
    options: Mapping[str, Any],
) -> None:  # fmt: skip
    blank = Tensor(np.zeros_like(parameter.value)[()])
    known = {name: _copied(state.get(held, blank)) for name, held in symbols.items()}
    known |= {"w": _copied(parameter), "grad": parameter.grad, **formulas.by_name(options)}
    counts = "momentum_buffer" not in symbols.values() or len(symbols) > 1  # SGD alone does not
    if counts:
        known["t"] = state["step"].item() + 1 if "step" in state else 1.0
    used, call = set(), partial(_computed, number=parameter.dtype.type)
    for statement in formulas.statements("; ".join([*formulas.decayed(options), *lines(state, **options)])):
        target = statement.target or ""
        value = fold(statement.value, lambda node, parts: formulas.evaluated(node, parts, known, call))
        if statement.value == Name("grad") and target in symbols:  # the first momentum lies outside of the graph
            value = value.detach()
        known[target] = value
        used.add(target)
    if counts:
        _keep(state, "step", Tensor(scalar(known["t"])))
    for name, held in symbols.items():
        if name in used:
            _keep(state, held, known[name])
    _untold(write_over(parameter, known["w"]))


def _copied(x: Any) -> Any:
    return ops.clone(x) if isinstance(x, Tensor) else x


def _keep(state: dict[str, Any], name: str, value: Any) -> None:
    """Write a value over that in the state, which a snippet may hold."""
    found = value if isinstance(value, Tensor) else Tensor(scalar(value))
    if name not in state:
        state[name] = _copied(found)
    else:
        write_over(state[name], found)
    _untold(state[name])


def _untold(x: Tensor) -> None:
    if x.grad_fn is not None:
        UNTOLD.add(x.grad_fn)


def _computed(name: str, parts: Sequence[Any], number: type[Any]) -> Any:
    """Compute over tensors where there are some, in which plain numbers have the precision of the weights."""
    if not any(isinstance(part, Tensor) for part in parts):
        return formulas.FUNCTIONS[name](*parts)
    if name in OF_TENSORS:
        parts = [part if isinstance(part, Tensor) else Tensor(number(part)) for part in parts]
    return FUNCTIONS[name](*parts)
