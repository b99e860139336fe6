"""Recurrent layers: each step gets its input and the state of the step before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.ops.support.covering import as_node
from gradcli.ops.support.several import bound
from gradcli.script.machine import running
from gradcli.script.torch.nn.base.making import blank
from gradcli.script.torch.nn.functional.noise import dropout
from gradcli.script.torch.nn.layers.recurrent.checks import check_dimensions, check_input, check_sizes
from gradcli.script.torch.nn.layers.recurrent.steps import WEIGHTS, Gated, LongShort, Plain, Recurrence
from gradcli.script.torch.nn.packing import PackedSequence, permuted, through_packed
from gradcli.script.torch.operations import facade
from gradcli.script.torch.tensor.dtypes import BY_NUMPY

States = tuple[Any, ...]
Order = Callable[[list[Any]], list[Any]]


class RNNBase(Recurrence):
    """Layers one upon the other that run through a sequence, in one direction or both."""

    _signature = (
        "input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, "
        "proj_size=0, device=None, dtype=None"
    )
    dropout: float

    def _settle(self, bias: bool, device: Any, dtype: Any) -> None:
        hidden, projected = self.hidden_size, self.proj_size
        flags = {"bias": bias, "batch_first": self.batch_first}
        check_sizes(self.input_size, hidden, self.num_layers, self.dropout, projected, self._states, **flags)
        self.bias, self.dropout = bias, float(self.dropout)
        running.machine.budget.fits(self.num_layers, "the list")
        self.mode = self._mode()
        for layer, suffix in self._places():
            inputs = (projected or hidden) * (1 + self.bidirectional) if layer else self.input_size
            self._add_weights(suffix, inputs, hidden, bias, dtype, projected)

    def _mode(self) -> str:
        return type(self).__name__

    def _places(self) -> list[tuple[int, str]]:
        """Return the number of each layer, once a direction, and the ending of the names of its weights."""
        ends = ("", "_reverse") if self.bidirectional else ("",)
        return [(layer, f"_l{layer}{end}") for layer in range(self.num_layers) for end in ends]

    def flatten_parameters(self) -> None:
        """Do nothing; torch arranges memory for other devices."""

    def reset_parameters(self) -> None:
        self._reset(self.hidden_size)

    @property
    def _all_weights(self) -> list[list[str]]:
        """The names of the weights, a row for each layer and direction."""
        kinds = [*(kind for kind in WEIGHTS if self.bias or not kind.startswith("bias"))]
        kinds += ["weight_hr"] if self.proj_size else []
        return [[kind + suffix for kind in kinds] for _, suffix in self._places()]

    @property
    def all_weights(self) -> list[list[Any]]:
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Any]:
        return [getattr(self, name) for name in self._flat_weights_names]

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """Return the last layer's outputs, and every layer's states after the last step."""
        if isinstance(input, PackedSequence):
            return self._of_packed(input, hx)
        if input.ndim not in (2, 3):
            tensor = " tensor" if isinstance(self, Plain) else ""
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}D{tensor} instead")
        batched = input.ndim == 3
        sequence = input if batched else ops.unsqueeze(input, 0 if self.batch_first else 1)
        starts = self._starts(hx, sequence, batched)
        if self.batch_first:
            sequence = ops.transpose(sequence, 0, 1)
        sequence, finals = self._through_all(sequence, starts, self._through)
        if self.batch_first:
            sequence = self._turned(sequence)
        if not batched:
            sequence = ops.squeeze(sequence, 0 if self.batch_first else 1)
            finals = tuple(ops.squeeze(states, 1) for states in finals)
        return sequence, finals if self._states > 1 else finals[0]

    def _of_packed(self, packed: PackedSequence, hx: Any) -> Any:
        sizes = packed.batch_sizes.array.tolist()
        shape = (self.num_layers * (1 + self.bidirectional), sizes[0])
        widths = (self.proj_size or self.hidden_size, self.hidden_size)[: self._states]
        if hx is None:
            starts: States = tuple(blank((*shape, width), BY_NUMPY[packed.data.dtype]) for width in widths)
        else:
            starts = permuted(tuple(hx) if isinstance(hx, tuple | list) else (hx,), packed.sorted_indices)
        check_input(packed.data, next(iter(self._parameters.values())), self.input_size)

        def through(data: Any, suffix: str, states: States, order: Order) -> tuple[Any, States]:
            given, advance = self._advancing(data, suffix)
            steps = list(ops.split(given, sizes, 0))
            outputs, states = through_packed(steps, states, advance, order is _reversed)
            return ops.cat(outputs, 0), states

        data, finals = self._through_all(packed.data, starts, through)
        finals = permuted(finals, packed.unsorted_indices)
        return packed._replace(data=data), finals if self._states > 1 else finals[0]

    def _through_all(self, sequence: Any, starts: States, through: Callable[..., Any]) -> tuple[Any, States]:
        finals: list[States] = []
        first = list(zip(*map(self._parted, starts), strict=True))
        for layer in range(self.num_layers):
            ends = [suffix for place, suffix in self._places() if place == layer]
            sides = []
            for end in ends:
                outputs, states = through(sequence, end, first[len(finals)], _reversed if end != ends[0] else _same)
                sides.append(outputs)
                finals.append(states)
            sequence = sides[0] if len(sides) == 1 else ops.cat(sides, -1)
            if self.dropout and layer < self.num_layers - 1:
                sequence = dropout(sequence, self.dropout, self.training)
        return sequence, tuple(ops.stack(list(states), 0) for states in zip(*finals, strict=True))

    def _turned(self, sequence: Any) -> Any:
        """Put the batch first again; torch transposes the outputs in place, but for those of an LSTM."""
        if self._states > 1:
            return ops.transpose(sequence, 0, 1)
        turn = facade.in_place("transpose_")
        assert turn is not None
        return turn(sequence, 0, 1)

    def _starts(self, hx: Any, sequence: Any, batched: bool) -> States:
        """Return the first states, after torch's checks of them and of the input."""
        places = self.num_layers * (1 + self.bidirectional)
        batch = sequence.shape[0 if self.batch_first else 1]
        sizes = [(places, batch, self.proj_size or self.hidden_size), (places, batch, self.hidden_size)][: self._states]
        if hx is None:
            given: States = tuple(blank(size, BY_NUMPY[sequence.dtype]) for size in sizes)
        else:
            if self._states > 1 and isinstance(hx, Tensor):  # torch looks into it as into a pair
                hx = tuple(ops.index(hx, number) for number in range(self._states))
            given = tuple(hx) if isinstance(hx, tuple | list) else (hx,)
            check_dimensions(given, batched)
            if not batched:
                given = tuple(ops.unsqueeze(state, 1) for state in given)
        check_input(sequence, next(iter(self._parameters.values())), self.input_size)
        for number, (state, size) in enumerate(zip(given, sizes, strict=False)):
            if state.shape != size:
                name = f"hidden[{number}]" if self._states > 1 else "hidden"
                raise AutogradError(f"Expected {name} size {size}, got {list(state.shape)}", code="E301")
        return given

    def _parted(self, start: Any) -> Any:
        """Return the first state of each layer and direction."""
        return ops.unbind(start, 0)

    def _through(self, sequence: Any, suffix: str, states: States, order: Order) -> tuple[Any, States]:
        """Run one layer in one direction."""
        given, advance = self._advancing(sequence, suffix)
        outputs = []
        for step in order(list(ops.unbind(given, 0))):
            states = advance(step, states)
            outputs.append(states[0])
        return ops.stack(order(outputs), 0), states

    def _weights(self, sequence: Any, suffix: str) -> list[Any]:
        """Return the weights and biases of a layer and direction, and its projection, None where it has none."""
        return [self._parameters.get(name + suffix) for name in (*WEIGHTS, "weight_hr")]

    def _advancing(self, sequence: Any, suffix: str) -> tuple[Any, Callable[[Any, States], States]]:
        """Return the input's contributions to the gates, one product for all steps, and the function of one step."""
        w_ih, w_hh, b_ih, b_hh, w_hr = self._weights(sequence, suffix)
        assert w_ih is not None
        assert w_hh is not None

        def advance(given: Any, states: States) -> States:
            states = self._step(given, ops.linear(states[0], w_hh, b_hh), states)
            return states if w_hr is None else (ops.linear(states[0], w_hr), *states[1:])

        return ops.linear(sequence, w_ih, b_ih), advance

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        usuals = {
            "proj_size": 0,
            "num_layers": 1,
            "bias": True,
            "batch_first": False,
            "dropout": 0,
            "bidirectional": False,
        }
        for name, usual in usuals.items():
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text


def _reversed(steps: list[Any]) -> list[Any]:
    return steps[::-1]


class RNN(Plain, RNNBase):
    __module__ = "torch.nn.modules.rnn"

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        if len(arguments) > 3:
            nonlinearity = arguments[3]
            arguments = arguments[:3] + arguments[4:]
        else:
            nonlinearity = keywords.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        vars(self)["nonlinearity"] = nonlinearity
        super().__init__(*arguments, **keywords)

    def _mode(self) -> str:
        return f"RNN_{self.nonlinearity.upper()}"


class GRU(Gated, RNNBase):
    __module__ = "torch.nn.modules.rnn"


def _same(steps: list[Any]) -> list[Any]:
    return steps


class LSTM(LongShort, RNNBase):
    __module__ = "torch.nn.modules.rnn"

    def _by_library(self, dtype: Any) -> bool:
        return dtype == np.dtype(np.float32) and not self.proj_size

    def _parted(self, start: Any) -> Any:
        if self._by_library(start.dtype):
            return [ops.select(start, 0, number) for number in range(start.shape[0])]
        return super()._parted(start)

    def _through(self, sequence: Any, suffix: str, states: States, order: Order) -> tuple[Any, States]:
        if not self._by_library(sequence.dtype):  # to which torch leaves a whole layer
            return super()._through(sequence, suffix, states, order)
        outputs, finals = super()._through(sequence, suffix, states, order)
        parts = enumerate((outputs, *finals))
        outputs, *others = bound(as_node(x, "MkldnnRnnLayerBackward0", number=at) for at, x in parts)
        return outputs, tuple(others)
