"""`torch.nn.utils.rnn`: sequences of different lengths, padded to one length or packed step by step."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.memory.views import COPY_SLICES
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError, ShapeError
from gradcli.ops.support.calling import ops
from gradcli.ops.support.constant_nodes import as_node
from gradcli.script.machine import running
from gradcli.script.python.members.tables import describe
from gradcli.script.python.text.formatting import REPRESENTATIONS, represent, with_fields
from gradcli.script.python.values.attributes import BuiltinType
from gradcli.script.python.values.builtins import TYPES, type_of


class PackedSequence(NamedTuple):
    """The entries of all sequences step by step, and the number of sequences that reach each step."""

    data: Any
    batch_sizes: Any
    sorted_indices: Any = None
    unsorted_indices: Any = None


REPRESENTATIONS[PackedSequence] = lambda packed: with_fields("PackedSequence", packed._asdict().items())
TYPES[PackedSequence] = BuiltinType("PackedSequence", PackedSequence, PackedSequence, module="torch.nn.utils.rnn")
describe(
    PackedSequence,
    getters={name: attrgetter(name) for name in PackedSequence._fields},
)


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Leave out the padding; the longest sequence comes first."""
    counts = lengths.array if isinstance(lengths, Tensor) else np.array(list(lengths), np.int64)
    batch = 0 if batch_first else 1
    if not input.value.size:
        raise AutogradError("Cannot pack empty tensors.")
    order = restored = None
    if not enforce_sorted:
        order = np.argsort(-counts, kind="stable")
        counts, restored = counts[order], np.argsort(order, kind="stable")
        input = ops.index_select(input, batch, Tensor(order))
    if input.shape[batch] != counts.size:
        raise ShapeError(f"Expected {input.shape[batch]} lengths, one for each sequence, but got {counts.size}")
    if counts.size == 0 or counts[-1] <= 0:
        raise AutogradError("Length of all samples has to be greater than 0")
    AutogradError.when(
        bool(np.any(counts[:-1] < counts[1:])),
        "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True",
        help="write enforce_sorted=False",
    )
    steps = ops.transpose(input, 0, 1) if batch_first else input
    sizes = np.array([np.count_nonzero(counts > step) for step in range(counts[0])], np.int64)
    rows = ops.reshape(steps, steps.shape[0] * steps.shape[1], *steps.shape[2:])
    data = as_node(ops.index_select(rows, 0, Tensor(_places(sizes, counts.size))), "PackPaddedSequenceBackward0")
    indices = (None, None) if order is None or restored is None else (Tensor(order), Tensor(restored))
    return PackedSequence(data, Tensor(sizes), *indices)


def _places(sizes: Any, batch: int) -> Any:
    """Return the positions of the packed rows among the rows of all steps."""
    return np.concatenate([step * batch + np.arange(size) for step, size in enumerate(sizes)])


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Any, Tensor]:
    """Return the padded sequences, and their lengths."""
    sizes, data = sequence.batch_sizes.array, sequence.data
    steps, batch = len(sizes), int(sizes[0])
    if total_length is not None:
        if total_length < steps:
            raise ValueError(f"total_length={total_length} is less than the length of the longest sequence, {steps}")
        steps = total_length
    running.machine.budget.fits(steps * batch * int(np.prod(data.shape[1:])), "the tensor")
    sources = np.full(steps * batch, data.shape[0])
    sources[_places(sizes, batch)] = np.arange(data.shape[0])
    padding = Tensor(np.full((1, *data.shape[1:]), padding_value, data.dtype))
    rows = ops.index_select(ops.cat([data, padding], 0), 0, Tensor(sources))
    padded = as_node(ops.reshape(rows, steps, batch, *data.shape[1:]), COPY_SLICES)
    lengths = np.array([np.count_nonzero(sizes > place) for place in range(batch)], np.int64)
    if batch_first:
        padded = ops.transpose(padded, 0, 1)
    if sequence.unsorted_indices is not None:
        padded = ops.index_select(padded, 0 if batch_first else 1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices.array]
    return padded, Tensor(lengths)


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Any:
    """Stack sequences, the shorter ones with a padding."""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(f"pad_sequence takes a list of tensors, not {represent(type_of(sequences))}")
    rows = list(ops.unbind(sequences, 0)) if isinstance(sequences, Tensor) else list(sequences)
    if padding_side not in ("left", "right"):
        raise AutogradError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if not rows:
        raise AutogradError("received an empty list of sequences")
    longest = max(row.shape[0] for row in rows)
    running.machine.budget.fits(longest * sum(row.value.size // max(1, row.shape[0]) for row in rows), "the tensor")
    padded = []
    for row in rows:
        missing, around = longest - row.shape[0], (0, 0) * (row.ndim - 1)
        widths = (*around, 0, missing) if padding_side == "right" else (*around, missing, 0)
        padded.append(ops.pad(row, widths, "constant", padding_value))
    return as_node(ops.stack(padded, 0 if batch_first else 1), COPY_SLICES)


def permute_states(states: tuple[Any, ...], order: Tensor | None) -> tuple[Any, ...]:
    """Return states in the order of the sequences."""
    return states if order is None else tuple(ops.index_select(state, 1, order) for state in states)


class Reach:
    """The states while a layer runs through steps that fewer and fewer sequences reach, or more and more."""

    def __init__(self, first: tuple[Any, ...], count: int | None) -> None:
        self.first, self.ended = first, list[tuple[Any, ...]]()
        self.states = first if count is None else self._rows(first, 0, count)

    @staticmethod
    def _rows(states: tuple[Any, ...], start: int, end: int) -> tuple[Any, ...]:
        return tuple(ops.narrow(state, 0, start, end - start) for state in states)

    def to(self, count: int) -> tuple[Any, ...]:
        """Return the states of as many sequences: put those aside that have ended, or let others begin."""
        before = self.states[0].shape[0]
        if count < before:
            self.ended.append(self._rows(self.states, count, before))
            self.states = self._rows(self.states, 0, count)
        elif count > before:
            joining = self._rows(self.first, before, count)
            self.states = tuple(ops.cat([a, b], 0) for a, b in zip(self.states, joining, strict=True))
        return self.states

    def finals(self) -> tuple[Any, ...]:
        """Return each sequence's last states."""
        if not self.ended:
            return self.states
        return tuple(ops.cat(list(ends), 0) for ends in zip(self.states, *reversed(self.ended), strict=True))


FUNCTIONS = (pack_padded_sequence, pad_packed_sequence, pad_sequence)
MEMBERS: dict[str, Any] = {function.__name__: function for function in FUNCTIONS}
MEMBERS["PackedSequence"] = TYPES[PackedSequence]
