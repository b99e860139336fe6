"""`F.ctc_loss`: the probability of a row of labels over all its alignments with a sequence (Graves et al. 2006)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.engine.primitive import Primitive
from gradcli.engine.symbolic.notation import call
from gradcli.engine.tensor import Tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.calling import ops
from gradcli.script.errors import UnsupportedError
from gradcli.script.machine import running
from gradcli.script.torch.nn.functional.losses import loss

NONE = -np.inf  # the logarithm of the probability of nothing
CHECKING = "(while checking arguments for ctc_loss_allocate_outputs)"
Rows = tuple[tuple[int, ...], ...]  # the labels of each sequence


def _summed(*logarithms: Any) -> Any:
    """Return the logarithm of a sum, from those of its terms."""
    return np.logaddexp.reduce(np.broadcast_arrays(*logarithms))


def _paths(scores: Any, labels: tuple[int, ...], blank: int) -> tuple[Any, Any]:
    """Return the states of an alignment, labels with blanks around them, and log-probabilities of all paths to each.

    `scores` has a row of log-probabilities for each step; so has the result, of all paths that are in a state then.
    """
    states = np.array([blank, *(part for label in labels for part in (label, blank))])
    skips = np.zeros(states.size, bool)  # a label may follow another one without a blank
    skips[3::2] = states[3::2] != states[1:-2:2]
    found = np.full((len(scores), states.size), NONE)
    emitted = scores[:, states]
    if len(scores):
        found[0, :2] = emitted[0, :2]
    for step in range(1, len(scores)):
        running.machine.budget.spend(1)
        before = np.concatenate([[NONE, NONE], found[step - 1]])
        skipped = np.where(skips, before[:-2], NONE)
        found[step] = _summed(before[2:], before[1:-1], skipped) + emitted[step]
    return states, found


def _loss(scores: Any, *, labels: Rows, lengths: tuple[int, ...], blank: int) -> Any:
    """Return the negative log-probability of the labels of each sequence."""
    found = []
    for place, (row, length) in enumerate(zip(labels, lengths, strict=True)):
        _, paths = _paths(scores[:length, place].astype(np.float64), row, blank)
        whole = _summed(*paths[-1, -2:]) if length else NONE if row else 0.0
        found.append(-whole)
    return np.array(found, scores.dtype)


def _gradient(g: Any, out: Any, scores: Any, *, labels: Rows, lengths: tuple[int, ...], blank: int, zero: bool) -> Any:
    """Return the gradient, for scores that are normalized and stay so: torch's has the softmax of a score in it."""
    found = np.zeros(scores.shape)
    for place, (row, length) in enumerate(zip(labels, lengths, strict=True)):
        if zero and np.isinf(out[place]):
            continue
        own = scores[:length, place].astype(np.float64)
        states, ahead = _paths(own, row, blank)
        behind = _paths(own[::-1], row[::-1], blank)[1][::-1, ::-1]
        both = np.full(own.shape, NONE)
        for place_of_state, state in enumerate(states):
            both[:, state] = np.logaddexp(both[:, state], ahead[:, place_of_state] + behind[:, place_of_state])
        with np.errstate(invalid="ignore"):
            found[:length, place] = (np.exp(own) - np.exp(both + float(out[place]) - own)) * g[place]
    return found.astype(scores.dtype)


def _rule(g: Any, out: Any, scores: Any, **options: Any) -> Any:
    return backward(g, out, scores, **options)


def _forward(scores: Any, *, zero: bool, **options: Any) -> Any:
    return _loss(scores, **options)


backward = Primitive(
    "ctc_loss_backward", _gradient, (None, None, None), "NotImplemented", call("ctc_loss_backward", _gradient),
    structured=True,
)  # fmt: skip
forward = Primitive(
    "ctc_loss", _forward, (_rule,), "CtcLossBackward0", call("ctc_loss", _forward), structured=True,
    says="A score's gradient is its softmax less the share of the alignments that go through it.", saves=(0, -1),
)  # fmt: skip


@loss
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """The negative log-probability of labels, over all alignments with `log_probs` (steps, sequences, classes)."""
    is_one = log_probs.ndim in (1, 2)
    scores = ops.unsqueeze(log_probs, 1) if is_one else log_probs
    if is_one and targets.ndim == 1:
        targets = ops.unsqueeze(targets, 0)
    inputs, wanted = _lengths(input_lengths, target_lengths)
    labels = _labels(scores, targets, inputs, wanted, blank)
    zero = bool(zero_infinity)
    found = forward(scores, labels=labels, lengths=inputs, blank=blank, zero=zero)
    if zero:
        infinite = Tensor(np.isinf(found.value))
        found = ops.where(infinite, Tensor(np.zeros((), found.dtype)[()]), found)
    if reduction == "mean":
        return ops.mean(ops.div(found, Tensor(np.maximum(wanted, 1).astype(found.dtype))))
    if reduction == "sum":
        return ops.sum(found)
    return ops.squeeze(found, 0) if is_one else found


def _lengths(*given: Any) -> list[tuple[int, ...]]:
    """Return the lengths of the sequences and of their labels, both tensors or both tuples."""
    are_tensors = {isinstance(lengths, Tensor) for lengths in given}
    if are_tensors == {True}:
        for name, lengths in zip(("input_lengths", "target_lengths"), given, strict=True):
            if lengths.dtype.kind not in "iu":
                raise AutogradError(f"{name} must be integral")
        return [tuple(np.atleast_1d(lengths.array).tolist()) for lengths in given]
    rows = [tuple(lengths) if isinstance(lengths, list | tuple) else None for lengths in given]
    if len(are_tensors) > 1 or any(row is None or not all(isinstance(n, int) for n in row) for row in rows):
        raise UnsupportedError("ctc_loss with such lengths is not supported here", help="write tuples of whole numbers")
    return [row for row in rows if row is not None]


def _labels(scores: Tensor, targets: Tensor, inputs: tuple[int, ...], wanted: tuple[int, ...], blank: int) -> Rows:
    """Return the labels of each sequence; AutogradError if shapes and lengths do not fit."""
    if scores.dtype.kind != "f" or scores.dtype == np.float16:
        raise NotImplementedError(f"\"ctc_loss_cpu\" not implemented for '{TYPE_NAMES[scores.dtype]}'")
    if scores.ndim != 3:
        raise AutogradError(
            f"Expected 3-dimensional tensor, but got {scores.ndim}-dimensional tensor for argument #1 'log_probs' "
            f"{CHECKING}",
            code="E301",
        )
    steps, batch, classes = scores.shape
    if not scores.value.size:
        raise AutogradError("log_probs tensor must not be empty")
    if targets.ndim not in (1, 2):
        raise AutogradError(
            f"Expected 1 to 2 dimensions, but got {targets.ndim}-dimensional tensor for argument #2 'targets' "
            f"{CHECKING}",
            code="E301",
        )
    if not 0 <= blank < classes:
        raise AutogradError("blank must be in label range")
    for name, lengths in (("input", inputs), ("target", wanted)):
        if len(lengths) != batch:
            raise AutogradError(f"{name}_lengths must be of size batch_size", code="E301")
    _check_each("target", wanted)
    axis, most = (0, sum(wanted)) if targets.ndim == 1 else (1, max(wanted))
    size = targets.shape[axis]
    if size < most or (targets.ndim == 1 and size != most):
        least = "size" if targets.ndim == 1 else "to have size at least"
        wish = f"to have {least} {most}" if targets.ndim == 1 else f"{least} {most}"
        raise AutogradError(
            f"Expected tensor {wish} at dimension {axis}, but got size {size} for argument #2 'targets' {CHECKING}",
            code="E301",
        )
    _check_each("input", inputs, steps)
    numbers = targets.array.astype(np.int64)
    ends = np.cumsum((0, *wanted))
    rows = [
        numbers[ends[place] : ends[place + 1]] if targets.ndim == 1 else numbers[place, :length]
        for place, length in enumerate(wanted)
    ]
    if any(((row < 0) | (row >= classes)).any() for row in rows):
        raise UnsupportedError("a label that is no class is not supported here: torch reads other memory")
    return tuple(tuple(row.tolist()) for row in rows)


def _check_each(name: str, lengths: tuple[int, ...], most: int | None = None) -> None:
    for length in lengths:
        if length < 0:
            wish = "least 0"
        elif most is not None and length > most:
            wish = f"most {most}"
        else:
            continue
        raise AutogradError(f"Expected {name}_lengths to have value at {wish}, but got value {length} {CHECKING}")
