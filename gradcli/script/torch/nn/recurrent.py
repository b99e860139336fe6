"""Recurrent layers: each step sees its input and what the step before it left."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gradcli.engine.notation import call
from gradcli.engine.primitive import Primitive
from gradcli.engine.tensor import Tensor
from gradcli.ops.matmul import linear
from gradcli.script.errors import UnsupportedError
from gradcli.script.torch import operations
from gradcli.script.torch.nn.arguments import check_tensor
from gradcli.script.torch.nn.gates import WEIGHTS, Gated, LongShort, Plain, Recurrence, operation
from gradcli.script.torch.nn.making import blank


class Cell(Recurrence):
    """One step."""

    _options: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, *options: Any, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self._add_weights("", input_size, hidden_size, bias, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        check_tensor(type(self).__name__.lower(), input)
        states = hx if isinstance(hx, tuple) else (hx,) if hx is not None else None
        rows = input if input.ndim > 1 else input.unsqueeze(0)  # type: ignore[attr-defined]
        if states is None:
            states = (blank((rows.shape[0], self.hidden_size), rows.dtype),) * self._states
        elif input.ndim == 1:
            states = tuple(state.unsqueeze(0) for state in states)
        given = linear(rows, self.weight_ih, self.bias_ih)
        found = self._step(given, linear(states[0], self.weight_hh, self.bias_hh), states)
        if input.ndim == 1:
            found = tuple(state.squeeze(0) for state in found)
        return found if self._states > 1 else found[0]

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else f", bias={self.bias}")
        shown = vars(self).get("nonlinearity", "tanh")
        return text if shown == "tanh" else f"{text}, nonlinearity={shown}"


class RNNCell(Plain, Cell):
    __module__ = "torch.nn.modules.rnn"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, dtype=dtype)
        self.nonlinearity = nonlinearity


class GRUCell(Gated, Cell):
    __module__ = "torch.nn.modules.rnn"


class LSTMCell(LongShort, Cell):
    __module__ = "torch.nn.modules.rnn"


class Layers(Recurrence):
    """All steps of a sequence, in layers one upon the other."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        **others: Any,
    ) -> None:
        super().__init__()
        if bidirectional or dropout or others:
            raise UnsupportedError(
                f"{type(self).__name__} with {next(iter(others), 'dropout' if dropout else 'bidirectional')} is not "
                "supported here",
                python=ValueError,
                help="leave it out",
            )
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout, self.bidirectional = bias, batch_first, dropout, bidirectional
        for layer in range(num_layers):
            self._add_weights(f"_l{layer}", hidden_size if layer else input_size, hidden_size, bias, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """The last state of every step, and of every layer the states after the last step."""
        check_tensor(type(self).__name__.lower(), input)
        batched = input.ndim == 3
        sequence = input if batched else operation("unsqueeze")(input, 0 if self.batch_first else 1)
        if self.batch_first:
            sequence = operation("transpose")(sequence, 0, 1)
        starts = self._starts(hx, sequence, batched)
        finals: list[tuple[Any, ...]] = []
        for layer in range(self.num_layers):
            states = tuple(operation("select")(start, 0, layer) for start in starts)
            sequence, states = self._through(sequence, layer, states)
            finals.append(states)
        stacked = tuple(operation("stack")(list(states), 0) for states in zip(*finals, strict=True))
        if self.batch_first:
            sequence = self._turned(sequence)
        if not batched:
            sequence = operation("squeeze")(sequence, 0 if self.batch_first else 1)
            stacked = tuple(operation("squeeze")(states, 1) for states in stacked)
        return sequence, stacked if self._states > 1 else stacked[0]

    def _turned(self, sequence: Any) -> Any:
        """Batches first again; torch turns the outputs in place."""
        turn = operations.in_place("transpose_")
        assert turn is not None
        return turn(sequence, 0, 1)

    def _starts(self, hx: Any, sequence: Any, batched: bool) -> tuple[Any, ...]:
        if hx is None:
            return (blank((self.num_layers, sequence.shape[1], self.hidden_size), sequence.dtype),) * self._states
        given = hx if isinstance(hx, tuple) else (hx,)
        return given if batched else tuple(operation("unsqueeze")(state, 1) for state in given)

    def _through(self, sequence: Any, layer: int, states: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
        """One layer: what its input gives to the gates is one product for all steps."""
        w_ih, w_hh, b_ih, b_hh = (getattr(self, f"{name}_l{layer}", None) for name in WEIGHTS)
        assert w_ih is not None
        assert w_hh is not None
        outputs = []
        for given in operation("unbind")(linear(sequence, w_ih, b_ih), 0):
            states = self._step(given, linear(states[0], w_hh, b_hh), states)
            outputs.append(states[0])
        return self._stacked(outputs), states

    def _stacked(self, outputs: list[Any]) -> Any:
        return operation("stack")(outputs, 0)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (("num_layers", 1), ("bias", True), ("batch_first", False)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text


class RNN(Plain, Layers):
    __module__ = "torch.nn.modules.rnn"

    def __init__(self, *arguments: Any, nonlinearity: str = "tanh", **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.nonlinearity = nonlinearity


class GRU(Gated, Layers):
    __module__ = "torch.nn.modules.rnn"


def _same(x: Any) -> Any:
    return x


# torch leaves a whole layer to a library, which has a node of its own; here it ends the steps.
layer = Primitive(
    "lstm_layer",
    _same,
    (lambda g, out, x: g,),
    "MkldnnRnnLayerBackward0",
    call("lstm_layer", _same),
    structured=True,
)


class LSTM(LongShort, Layers):
    __module__ = "torch.nn.modules.rnn"

    def _stacked(self, outputs: list[Any]) -> Any:
        stacked = super()._stacked(outputs)
        return layer(stacked) if stacked.dtype == np.dtype(np.float32) else stacked

    def _turned(self, sequence: Any) -> Any:
        return operation("transpose")(sequence, 0, 1)
