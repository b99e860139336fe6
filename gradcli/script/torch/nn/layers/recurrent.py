"""Recurrent layers and cells: each step gets its input and the state of the step before it."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise
from typing import Any

import numpy as np

from gradcli.engine.checks.shapes import dimension
from gradcli.engine.graph import join
from gradcli.engine.tensor import Tensor
from gradcli.errors import ShapeError
from gradcli.ops.products.contractions import linear
from gradcli.ops.shaping.joining import unsafe_part
from gradcli.ops.shaping.shaping import transpose
from gradcli.ops.support.calling import ops
from gradcli.ops.support.constant_nodes import as_node
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.nn.base.configured import Configured
from gradcli.script.torch.nn.base.parameter import blank, uniform
from gradcli.script.torch.nn.functional.module import check_tensor, dropout
from gradcli.script.torch.nn.initialisation import uniform_
from gradcli.script.torch.nn.packing import PackedSequence, Reach, permute_states
from gradcli.script.torch.tensor.dtypes import BY_NUMPY


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:
    """Return equal parts on the same memory, but not as views, so that they may be changed."""
    axis = dimension(dim, input.ndim)
    ends = range(0, input.shape[axis] + 1, input.shape[axis] // chunks)
    return join(unsafe_part(input, dim=axis, start=i, stop=j, index=n) for n, (i, j) in enumerate(pairwise(ends)))


WEIGHTS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
States = tuple[Any, ...]


class Recurrence(Configured):
    """The base of cells and layers: weights for the input and for the state, of each gate."""

    _gates = 1
    _states = 1

    def _add_weights(self, suffix: str, inputs: int, hidden: int, bias: bool, dtype: Any) -> None:
        rows = self._gates * hidden
        shapes = ((rows, inputs), (rows, hidden), (rows,), (rows,))
        for name, shape in zip(WEIGHTS, shapes, strict=True):
            wanted = bias or not name.startswith("bias")
            if wanted or not suffix:
                self.register_parameter(name + suffix, uniform(shape, self._bound(), dtype) if wanted else None)

    def _bound(self) -> float:
        return 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0.0

    def reset_parameters(self) -> None:
        """Draw all weights again."""
        for parameter in self.parameters():
            uniform_(parameter, -self._bound(), self._bound())

    def _step(self, from_input: Any, from_state: Any, states: States) -> States:
        """Return the states after a step, from the contributions of the input and the state to the gates."""
        raise NotImplementedError


class Plain(Recurrence):
    """The simple recurrence with one gate: `tanh(W x + U h)`."""

    nonlinearity: str

    def _step(self, from_input: Any, from_state: Any, states: States) -> States:
        if self.nonlinearity not in ("tanh", "relu"):  # a cell looks at it when it is called
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return ((ops.relu if self.nonlinearity == "relu" else ops.tanh)(from_state + from_input),)


class Gated(Recurrence):
    """The gated recurrent unit of Cho et al. 2014, with the reset gate after the product, as torch has it."""

    _gates = 3

    def _step(self, from_input: Any, from_state: Any, states: States) -> States:
        reset_in, update_in, new_in = unsafe_chunk(from_input, 3, 1)
        reset_kept, update_kept, new_kept = unsafe_chunk(from_state, 3, 1)
        reset = ops.sigmoid(reset_kept + reset_in)
        update = ops.sigmoid(update_kept + update_in)
        new = ops.tanh(new_in + new_kept * reset)
        return ((states[0] - new) * update + new,)


class LongShort(Recurrence):
    """The long short-term memory of Hochreiter and Schmidhuber 1997, with a gate that forgets."""

    _gates = 4
    _states = 2

    def _step(self, from_input: Any, from_state: Any, states: States) -> States:
        enter, forget, cell, leave = unsafe_chunk(from_state + from_input, 4, 1)
        memory = ops.sigmoid(forget) * states[1] + ops.sigmoid(enter) * ops.tanh(cell)
        return ops.sigmoid(leave) * ops.tanh(memory), memory


class Cell(Recurrence):
    """A layer that computes one step."""

    _signature = "input_size, hidden_size, bias=True, device=None, dtype=None"

    def _settle(self, bias: bool, device: Any, dtype: Any) -> None:
        self.bias = bias
        self._add_weights("", self.input_size, self.hidden_size, bias, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        check_tensor(type(self).__name__.lower(), input)
        if self._states > 1 and isinstance(hx, Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor")
        states = tuple(hx) if isinstance(hx, tuple | list) else (hx,) if hx is not None else ()
        if input.ndim != 2:
            words = f"{type(self).__name__} of anything but a batch of rows is not supported here"
            raise UnsupportedError(words, python=ValueError, help="write x.unsqueeze(0)")
        states = states or (blank((input.shape[0], self.hidden_size), input.dtype),) * self._states
        words = f"input has inconsistent input_size: got {input.shape[1]} expected {self.input_size}"
        ShapeError.when(input.shape[1] != self.input_size, words)
        size = (input.shape[0], self.hidden_size)
        for number, state in enumerate(states):
            ShapeError.when(state.shape != size, f"Expected hidden{number} size {size}, got {list(state.shape)}")
        from_input = linear(input, self.weight_ih, self.bias_ih)
        new = self._step(from_input, linear(states[0], self.weight_hh, self.bias_hh), states)
        return new if self._states > 1 else new[0]

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else f", bias={self.bias}")
        shown = vars(self).get("nonlinearity", "tanh")
        return text if shown == "tanh" else f"{text}, nonlinearity={shown}"


class RNNBase(Recurrence):
    """Layers one upon the other that run through a sequence, in one direction or both."""

    _signature = (
        "input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, "
        "proj_size=0, device=None, dtype=None"
    )
    _absent = "proj_size"
    dropout: float

    def _settle(self, bias: bool, device: Any, dtype: Any) -> None:
        self._check_options()
        self.bias, self.dropout = bias, float(self.dropout)
        running.machine.budget.fits(self.num_layers, "the list")
        for layer, suffix in self._places():
            inputs = self.hidden_size * (1 + self.bidirectional) if layer else self.input_size
            self._add_weights(suffix, inputs, self.hidden_size, bias, dtype)

    def _check_options(self) -> None:
        chance, layers = self.dropout, self.num_layers
        if isinstance(chance, bool) or not isinstance(chance, int | float) or not 0 <= chance <= 1:
            raise ValueError("dropout should be a number in range [0, 1]")
        if chance > 0 and layers == 1:
            warnings.warn("dropout comes between recurrent layers, and there is one", UserWarning, stacklevel=2)
        for name in ("input_size", "hidden_size"):
            size = getattr(self, name)
            if not isinstance(size, int) or size <= 0:
                raise ValueError(f"{name} must be a whole number greater than zero")
        if layers <= 0:
            raise ValueError("num_layers must be greater than zero")

    def _places(self) -> list[tuple[int, str]]:
        """Return the number of each layer, once a direction, and the ending of the names of its weights."""
        ends = ("", "_reverse") if self.bidirectional else ("",)
        return [(layer, f"_l{layer}{end}") for layer in range(self.num_layers) for end in ends]

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Return the last layer's outputs, and every layer's states after the last step."""
        if self._states > 1 and isinstance(hx, Tensor):  # torch looks into it as into a pair
            hx = tuple(ops.index(hx, number) for number in range(self._states))
        given = hx if hx is None or isinstance(hx, tuple | list) else (hx,)
        if isinstance(input, PackedSequence):
            sizes = input.batch_sizes.array.tolist()
            states = self._starts(given, input.data, sizes[0])
            data, finals = self._through_all(input.data, sizes, permute_states(states, input.sorted_indices))
            finals = permute_states(finals, input.unsorted_indices)
            return input._replace(data=data), finals if self._states > 1 else finals[0]
        if input.ndim != 3:
            words = f"{type(self).__name__} of anything but a batch of sequences is not supported here"
            raise UnsupportedError(words, python=ValueError, help="write x.unsqueeze(0 if batch_first else 1)")
        states = self._starts(given, input, input.shape[0 if self.batch_first else 1])
        sequence, finals = self._through_all(ops.transpose(input, 0, 1) if self.batch_first else input, None, states)
        if self.batch_first:
            sequence = self._turned(sequence)
        return sequence, finals if self._states > 1 else finals[0]

    def _through_all(self, sequence: Any, sizes: list[int] | None, starts: States) -> tuple[Any, States]:
        """Run all layers; `sizes` are the numbers of rows of the steps in a packed sequence."""
        finals: list[States] = []
        first = list(zip(*map(self._split, starts), strict=True))
        for layer in range(self.num_layers):
            sides = []
            for place, suffix in self._places():
                if place == layer:
                    outputs, states = self._through(sequence, sizes, suffix, first[len(finals)])
                    sides.append(outputs)
                    finals.append(states)
            sequence = sides[0] if len(sides) == 1 else ops.cat(sides, -1)
            if self.dropout and layer < self.num_layers - 1:
                sequence = dropout(sequence, self.dropout, self.training)
        return sequence, tuple(ops.stack(list(states), 0) for states in zip(*finals, strict=True))

    def _turned(self, sequence: Any) -> Any:
        """Put the batch first again; torch transposes the outputs in place, but for those of an LSTM."""
        return transpose.in_place(sequence, dim0=0, dim1=1)

    def _starts(self, given: Any, sequence: Any, batch: int) -> States:
        """Return the first states, after torch's checks of them and of the input."""
        size = (self.num_layers * (1 + self.bidirectional), batch, self.hidden_size)
        weight = next(iter(self._parameters.values()))
        if sequence.dtype != weight.dtype:
            kind, wanted = (f"torch.{dtype.name}" for dtype in (sequence.dtype, weight.dtype))
            raise ValueError(f"RNN input dtype ({kind}) does not match weight dtype ({wanted}): input.to({wanted})")
        ShapeError.when(not sequence.value.size, "Expected sequence length to be larger than 0 in RNN")
        words = f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {sequence.shape[-1]}"
        ShapeError.when(sequence.shape[-1] != self.input_size, words)
        if given is None:
            return tuple(blank(size, BY_NUMPY[sequence.dtype]) for _ in range(self._states))
        for number, state in enumerate(given):
            name = f"hidden[{number}]" if self._states > 1 else "hidden"
            ShapeError.when(state.shape != size, f"Expected {name} size {size}, got {list(state.shape)}")
        return tuple(given)

    def _split(self, start: Any) -> Any:
        """Return the first state of each layer and direction."""
        return ops.unbind(start, 0)

    def _through(self, sequence: Any, sizes: list[int] | None, suffix: str, states: States) -> tuple[Any, States]:
        """Run one layer in one direction: one product for all inputs, then step by step."""
        w_ih, w_hh, b_ih, b_hh = (self._parameters.get(name + suffix) for name in WEIGHTS)
        assert w_ih is not None
        assert w_hh is not None
        from_input = linear(sequence, w_ih, b_ih)
        steps = list(ops.unbind(from_input, 0) if sizes is None else ops.split(from_input, sizes, 0))
        is_backwards = suffix.endswith("reverse")
        reach = Reach(states, None if sizes is None else sizes[-1 if is_backwards else 0])
        outputs: list[Any] = []
        for step in reversed(steps) if is_backwards else steps:
            before = reach.states if sizes is None else reach.to(step.shape[0])
            reach.states = self._step(step, linear(before[0], w_hh, b_hh), before)
            outputs.append(reach.states[0])
        ordered = outputs[::-1] if is_backwards else outputs
        return ops.stack(ordered, 0) if sizes is None else ops.cat(ordered, 0), reach.finals()

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        usuals = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0}
        for name, usual in {**usuals, "bidirectional": False}.items():
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text


class RNN(Plain, RNNBase):
    __module__ = "torch.nn.modules.rnn"
    _signature = RNNBase._signature.replace("num_layers=1", "num_layers=1, nonlinearity='tanh'")

    def _check_options(self) -> None:
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super()._check_options()


class GRU(Gated, RNNBase):
    __module__ = "torch.nn.modules.rnn"


class LSTM(LongShort, RNNBase):
    """A whole layer in single precision is one node in torch, which leaves it to a library."""

    __module__ = "torch.nn.modules.rnn"

    def _is_one_node(self, dtype: Any) -> bool:
        return bool(dtype == np.float32)

    def _turned(self, sequence: Any) -> Any:
        return ops.transpose(sequence, 0, 1)

    def _split(self, start: Any) -> Any:
        if self._is_one_node(start.dtype):
            return [ops.select(start, 0, number) for number in range(start.shape[0])]
        return super()._split(start)

    def _through(self, sequence: Any, sizes: list[int] | None, suffix: str, states: States) -> tuple[Any, States]:
        outputs, finals = super()._through(sequence, sizes, suffix, states)
        if sizes is None and self._is_one_node(sequence.dtype):
            tensors = enumerate((outputs, *finals))
            outputs, *states_at_end = join(as_node(x, "MkldnnRnnLayerBackward0", number=at) for at, x in tensors)
            finals = tuple(states_at_end)
        return outputs, finals


class RNNCell(Plain, Cell):
    __module__ = "torch.nn.modules.rnn"
    _signature = "input_size, hidden_size, bias=True, nonlinearity='tanh', device=None, dtype=None"


class GRUCell(Gated, Cell):
    __module__ = "torch.nn.modules.rnn"
    _signature = Cell._signature


class LSTMCell(LongShort, Cell):
    __module__ = "torch.nn.modules.rnn"
    _signature = Cell._signature
