"""Recurrent cells: one step, from an input and a state to the next state."""

from __future__ import annotations

from typing import Any

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.script.torch.nn.base.making import blank
from gradcli.script.torch.nn.functional.arguments import check_tensor
from gradcli.script.torch.nn.layers.recurrent.steps import Gated, LongShort, Plain, Recurrence


class Cell(Recurrence):
    """A layer that computes one step."""

    _signature = "input_size, hidden_size, bias=True, device=None, dtype=None"

    def _settle(self, bias: bool, device: Any, dtype: Any) -> None:
        self.bias = bias
        self._add_weights("", self.input_size, self.hidden_size, bias, dtype)

    def reset_parameters(self) -> None:
        self._reset(self.hidden_size)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        check_tensor(type(self).__name__.lower(), input)
        if self._states > 1 and isinstance(hx, Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        states = tuple(hx) if isinstance(hx, tuple | list) else (hx,) if hx is not None else None
        self._check_dimensions(input, states or ())
        rows = input if input.ndim > 1 else input.unsqueeze(0)
        if states is None:
            states = (blank((rows.shape[0], self.hidden_size), rows.dtype),) * self._states
        elif input.ndim == 1:
            states = tuple(state.unsqueeze(0) for state in states)
        self._check_sizes(rows, states)
        given = ops.linear(rows, self.weight_ih, self.bias_ih)
        found = self._step(given, ops.linear(states[0], self.weight_hh, self.bias_hh), states)
        if input.ndim == 1:
            found = tuple(state.squeeze(0) for state in found)
        return found if self._states > 1 else found[0]

    def _check_dimensions(self, input: Tensor, states: tuple[Any, ...]) -> None:
        names = ["input", *(f"hx[{n}]" if self._states > 1 else "hidden" for n in range(len(states)))]
        for name, value in zip(names, (input, *states), strict=True):
            if value.ndim not in (1, 2):
                kind = type(self).__name__
                raise ValueError(f"{kind}: Expected {name} to be 1D or 2D, got {value.ndim}D instead")

    def _check_sizes(self, rows: Any, states: tuple[Any, ...]) -> None:
        batch, given = rows.shape
        problems = []
        if given != self.input_size:
            problems.append(f"input has inconsistent input_size: got {given} expected {self.input_size}")
        for n, state in enumerate(states):
            if batch != state.shape[0]:
                problems.append(f"Input batch size {batch} doesn't match hidden{n} batch size {state.shape[0]}")
            if state.shape[1] != self.hidden_size:
                wrong = f"got {state.shape[1]}, expected {self.hidden_size}"
                problems.append(f"hidden{n} has inconsistent hidden_size: {wrong}")
        if problems:
            raise AutogradError(problems[0], code="E301")

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else f", bias={self.bias}")
        shown = vars(self).get("nonlinearity", "tanh")
        return text if shown == "tanh" else f"{text}, nonlinearity={shown}"


class RNNCell(Plain, Cell):
    __module__ = "torch.nn.modules.rnn"
    _signature = "input_size, hidden_size, bias=True, nonlinearity='tanh', device=None, dtype=None"


class GRUCell(Gated, Cell):
    __module__ = "torch.nn.modules.rnn"
    _signature = Cell._signature


class LSTMCell(LongShort, Cell):
    __module__ = "torch.nn.modules.rnn"
    _signature = Cell._signature
