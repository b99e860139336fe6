"""The step of recurrent layers: gates that decide how much of the state is kept."""

from __future__ import annotations

import math
from typing import Any

from gradcli.ops.support.calling import ops
from gradcli.script.torch.nn.base.configured import Configured
from gradcli.script.torch.nn.base.making import uniform
from gradcli.script.torch.nn.initialisation import uniform_
from gradcli.script.torch.tensor.parts import unsafe_chunk

WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")


class Recurrence(Configured):
    """The base of cells and layers: weights for the input and for the state, of each gate."""

    _gates = 1
    _states = 1

    def _add_weights(self, suffix: str, inputs: int, hidden: int, bias: bool, dtype: Any, projected: int = 0) -> None:
        rows = self._gates * hidden
        shapes = ((rows, inputs), (rows, projected or hidden), (rows,), (rows,))
        bound = _bound(hidden)
        for name, shape in zip(WEIGHTS, shapes, strict=True):
            wanted = bias or not name.startswith("bias")
            if wanted or not suffix:
                self.register_parameter(name + suffix, uniform(shape, bound, dtype) if wanted else None)
        if projected:
            self.register_parameter(f"weight_hr{suffix}", uniform((projected, hidden), bound, dtype))

    def _reset(self, hidden: int) -> None:
        """Draw all weights again."""
        for parameter in self.parameters():
            uniform_(parameter, -_bound(hidden), _bound(hidden))

    def _step(self, given: Any, kept: Any, states: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the states after a step, from the contributions of the input and the state to the gates."""
        raise NotImplementedError


def _bound(hidden: int) -> float:
    return 1.0 / math.sqrt(hidden) if hidden > 0 else 0.0


class Plain(Recurrence):
    """The simple recurrence with one gate: `tanh(W x + U h)`."""

    nonlinearity: str

    def _step(self, given: Any, kept: Any, states: tuple[Any, ...]) -> tuple[Any, ...]:
        if self.nonlinearity not in ("tanh", "relu"):  # a cell looks at it when it is called
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return ((ops.relu if self.nonlinearity == "relu" else ops.tanh)(kept + given),)


class Gated(Recurrence):
    """The gated recurrent unit of Cho et al. 2014, with the reset gate after the product, as torch has it."""

    _gates = 3

    def _step(self, given: Any, kept: Any, states: tuple[Any, ...]) -> tuple[Any, ...]:
        reset_in, update_in, new_in = unsafe_chunk(given, 3, 1)
        reset_kept, update_kept, new_kept = unsafe_chunk(kept, 3, 1)
        reset = ops.sigmoid(reset_kept + reset_in)
        update = ops.sigmoid(update_kept + update_in)
        new = ops.tanh(new_in + new_kept * reset)
        return ((states[0] - new) * update + new,)


class LongShort(Recurrence):
    """The long short-term memory of Hochreiter and Schmidhuber 1997, with a gate that forgets."""

    _gates = 4
    _states = 2

    def _step(self, given: Any, kept: Any, states: tuple[Any, ...]) -> tuple[Any, ...]:
        enter, forget, cell, leave = unsafe_chunk(kept + given, 4, 1)
        memory = ops.sigmoid(forget) * states[1] + ops.sigmoid(enter) * ops.tanh(cell)
        return ops.sigmoid(leave) * ops.tanh(memory), memory
