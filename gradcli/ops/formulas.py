"""Index formulas of operations, and differentials of matrix operations, from which `--why` writes its pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gradcli.engine.symbolic.indices import ELSEWHERE, Given, entry, letters, put, spread, summed
from gradcli.facts import dataclass

Axes = int | Sequence[int] | None


@dataclass(frozen=True)
class Reduced:
    """The places of a reduction: of an entry of the input, of the result, and the letters that are reduced.

    `others` are the places of an entry with other letters in the reduced dimensions, and `rest` these letters.
    """

    places: tuple[str, ...]
    kept: tuple[str, ...]
    bound: tuple[str, ...]
    others: tuple[str, ...]
    rest: tuple[str, ...]
    count: int

    @classmethod
    def of(cls, x: Any, dim: Axes = None, keepdim: bool = False) -> Reduced:
        ndim = np.ndim(x)
        every = dim is None or (not isinstance(dim, int) and not tuple(dim)) or not ndim
        axes = tuple(range(ndim)) if every else (dim,) if isinstance(dim, int) else tuple(dim or ())
        axes = tuple(axis % ndim for axis in axes)
        names = letters(2 * ndim)
        places, fresh = names[:ndim], iter(names[ndim:])
        others = [next(fresh) if axis in axes else letter for axis, letter in enumerate(places)]
        kept = [letter for axis, letter in enumerate(places) if axis not in axes]
        if keepdim:
            kept = ["0" if axis in axes else letter for axis, letter in enumerate(places)]
        return cls(
            tuple(places),
            tuple(kept),
            tuple(places[axis] for axis in axes),
            tuple(others),
            tuple(others[axis] for axis in axes),
            math.prod(np.shape(x)[axis] for axis in axes),
        )

    @property
    def out(self) -> str:
        return entry("out", self.kept)

    @property
    def g(self) -> str:
        return entry("g", self.kept)

    @property
    def x(self) -> str:
        return entry("x", self.places)

    @property
    def gradient(self) -> str:
        return entry("∂x", self.places)

    def sum(self, body: str, operator: str = "Σ") -> str:
        return summed(self.bound, body, operator)

    def other(self, name: str) -> str:
        return entry(name, self.others)


def total(out: Any, x: Any, *, dim: Axes = None, keepdim: bool = False, **_: Any) -> str:
    of = Reduced.of(x, dim, keepdim)
    return f"{of.out} = {of.sum(of.x)}"


def average(out: Any, x: Any, *, dim: Axes = None, keepdim: bool = False, **_: Any) -> str:
    of = Reduced.of(x, dim, keepdim)
    return f"{of.out} = ({of.sum(of.x)})/{of.count}" if of.count else f"{of.out} = {of.sum(of.x)}"


def product(out: Any, x: Any, *, dim: Axes = None, keepdim: bool = False) -> str:
    of = Reduced.of(x, dim, keepdim)
    if not of.places:
        return "out = x"
    if len(of.bound) > 1:
        return "out = Πi x.flat[i]; ∂x.flat[i] = g·(Πj x.flat[j] where j ≠ i)"
    others = f"({summed(of.rest, of.other('x'), 'Π')} where {of.rest[0]} ≠ {of.bound[0]})"
    return f"{of.out} = {of.sum(of.x, 'Π')}; {of.gradient} = {of.g}·{others}"


def extreme(operator: str) -> Any:
    """Return the formula of `max`, `amax` and their like, which share the gradient among entries that tie."""

    def formula(out: Any, x: Any, *, dim: Axes = None, keepdim: bool = False) -> str | tuple[str, Given]:
        of = Reduced.of(x, dim, keepdim)
        forward = f"{of.out} = {of.sum(of.x, f'{operator}_')}"
        return _shared(of, forward, out, x)

    return formula


def _shared(of: Reduced, forward: str, out: Any, x: Any) -> str | tuple[str, Given]:
    """Return the formula that gives the gradient to the entries equal to the result, in equal parts."""
    forward = f"{forward}; " if forward else ""
    value = np.reshape(out, [1 if letter in of.bound else n for letter, n in zip(of.places, np.shape(x), strict=True)])
    axes = tuple(of.places.index(letter) for letter in of.bound)
    ties = np.sum(np.equal(x, value), axis=axes, keepdims="0" in of.kept or not of.kept)
    if np.isnan(value).any():  # nan counts as the extreme, and equals nothing
        return ""
    where = f"where {of.x} = {of.out}"
    if (ties <= 1).all():
        return f"{forward}{of.gradient} = {of.g} {where}"
    count = np.reshape(ties, np.shape(out))
    return f"{forward}{of.gradient} = {of.g}/{entry('n', of.kept)} {where}", {
        "n": ("the number of entries that tie", count)
    }


def norm(out: Any, x: Any, *, p: float = 2, dim: Axes = None, keepdim: bool = False) -> str:
    """Return the formula of a norm with p = 1 or p = 2, and an empty text for any other p."""
    of = Reduced.of(x, dim, keepdim)
    if p == 1:
        return f"{of.out} = {of.sum(f'abs({of.x})')}"
    where = f" where {of.out} ≠ 0" if np.any(np.equal(out, 0)) else ""
    return f"{of.out} = sqrt({of.sum(f'{of.x}**2')}); {of.gradient} = {of.g}·{of.x}/{of.out}{where}" if p == 2 else ""


# Index formulas of softmax and losses; their gradients are written in terms of the result.


def spread_out(
    out: Any, x: Any, *, is_root: bool, dim: Axes = None, correction: float = 1, keepdim: bool = False
) -> tuple[str, Given]:
    """Return the formula of the variance, or of its root."""
    of = Reduced.of(x, dim, keepdim)
    axes = tuple(of.places.index(letter) for letter in of.bound)
    free = max(of.count - correction, 0)
    mean = np.mean(x, axis=axes, keepdims=True)
    means = np.reshape(mean, np.shape(out))
    given = {"mean": ("the mean of the entries", means)}
    m = entry("mean", of.kept)
    inner = f"({of.sum(f'({of.x} - {m})**2')})/{free:g}"
    if not is_root:
        return f"{of.out} = {inner}; {of.gradient} = 2·{of.g}·({of.x} - {m})/{free:g}", given
    where = f" where {of.out} ≠ 0" if np.any(np.equal(out, 0)) else ""
    slope = f"{of.g}·({of.x} - {m})/({free:g}·{of.out}){where}"
    return f"{of.out} = sqrt({inner}); {of.gradient} = {slope}", given


def running(direction: str = "≤") -> Any:
    """Return the formula of a running sum, from the first entry on or from the last one back."""

    def formula(out: Any, x: Any, *, dim: int, **_: Any) -> str:
        *places, k = letters(np.ndim(x) + 1)
        if not places:
            return "out = x"
        summand = entry("x", put(places, dim, k))
        return f"{entry('out', places)} = Σ{k} {summand} where {k} {direction} {places[dim]}"

    return formula


def layer_norm(out: Any, x: Any, weight: Any, bias: Any, *, normalized_shape: Any, eps: float = 1e-5) -> Any:
    inner = tuple(range(np.ndim(x) - len(normalized_shape), np.ndim(x)))
    return _normalized(x, weight, bias, inner, inner, eps)


def batch_norm(
    out: Any, x: Any, weight: Any, bias: Any, mean: Any, var: Any, *, training: bool, eps: float = 1e-5
) -> Any:
    if training:
        return _normalized(x, weight, bias, (0, *range(2, np.ndim(x))), (1,), eps)
    places = letters(np.ndim(x))
    c = places[1]
    scaled = f"({entry('x', places)} - mean[{c}])/sqrt(var[{c}] + {eps!r})"
    given = {"mean": ("the running mean", mean), "var": ("the running variance", var)}
    return f"{entry('out', places)} = {_affine(scaled, weight, bias, [c])}", given


def _standard(x: Any, axes: tuple[int, ...], eps: float) -> tuple[Any, Any]:
    centred = x - np.mean(x, axis=axes, keepdims=True)
    s = np.sqrt(np.mean(centred * centred, axis=axes, keepdims=True) + eps)
    return centred / s, s


def _normalized(x: Any, weight: Any, bias: Any, axes: tuple[int, ...], inner: tuple[int, ...], eps: float) -> Any:
    """Return the formulas of a normalization over axes, whose weight has the axes `inner`."""
    z, s = _standard(x, axes, eps)
    of = Reduced.of(x, axes)
    here, others = list(of.places), list(of.others)
    kept = [n for a, n in enumerate(np.shape(x)) if a not in axes]
    given = {
        "m": ("the mean", np.reshape(np.mean(x, axis=axes), kept)),
        "s": (f"the standard deviation, sqrt(variance + {eps!r})", np.reshape(s, kept)),
        "z": ("each entry minus m, divided by s", z),
    }
    gradient = _corrected(here, others, of.rest, weight, inner, of.count, entry("s", of.kept))
    standard = f"({entry('x', here)} - {entry('m', of.kept)})/{entry('s', of.kept)}"
    forward = _affine(standard, weight, bias, [here[axis] for axis in inner])
    return f"{entry('out', here)} = {forward}; {entry('∂x', here)} = {gradient}", given


def _affine(z: str, weight: Any, bias: Any, places: Any) -> str:
    scaled = z if isinstance(weight, int) else f"{z}·{entry('weight', places)}"
    return scaled if isinstance(bias, int) else f"{scaled} + {entry('bias', places)}"


def _corrected(here: Any, there: Any, rest: Any, weight: Any, inner: Any, count: int, s: str) -> str:
    """Return the gradient without its parts along the mean and the deviation (Ba et al. 2016)."""

    def h(places: Any) -> str:
        g = entry("g", places)
        return g if isinstance(weight, int) else f"{g}·{entry('weight', [places[axis] for axis in inner])}"

    mean = f"({summed(rest, h(there))})/{count}"
    product = f"{h(there)}·{entry('z', there)}"
    along = f"({summed(rest, product)})/{count}"
    return f"({h(here)} - {mean} - {entry('z', here)}·{along})/{s}"


def embedding(out: Any, rows: Any, weight: Any, *, padding_idx: int | None = None) -> str:
    *places, k, p = letters(np.ndim(rows) + 2)
    row = entry("rows", places)
    forward = f"{entry('out', [*places, k])} = weight[{row},{k}]"
    if padding_idx is None:
        return forward
    rest = summed(places, entry("g", [*places, k]))
    return f"{forward}; ∂weight[{p},{k}] = {rest} where {row} = {p}, {row} ≠ {padding_idx}"


def _parts(x: Any, dim: Axes) -> tuple[Reduced, Callable[[str], str], Callable[[str], str]]:
    """Return a reduction, and how an entry is written: at its own place, and at the place that a sum runs over."""
    of = Reduced.of(x, dim)
    return of, lambda name: entry(name, of.places), of.other


def _exponentials(of: Reduced, of_entry: str) -> str:
    return summed(of.rest, f"exp({of_entry})")


def softmax(out: Any, x: Any, *, dim: Axes) -> str:
    of, here, other = _parts(x, dim)
    forward = f"{here('out')} = exp({here('x')})/({_exponentials(of, other('x'))})"
    return f"{forward}; {here('∂x')} = {_through(of, here, other, 'g', 'out')}"


def _through(of: Reduced, here: Any, other: Any, g: str, y: str) -> str:
    total = summed(of.rest, f"{other(g)}·{other(y)}")
    return f"{here(y)}·({here(g)} - ({total}))"


def log_softmax(out: Any, x: Any, *, dim: Axes) -> str:
    of, here, other = _parts(x, dim)
    gradient = f"{here('g')} - exp({here('out')})·({summed(of.rest, other('g'))})"
    return f"{here('out')} = {here('x')} - log({_exponentials(of, other('x'))}); {here('∂x')} = {gradient}"


def logsumexp(out: Any, x: Any, *, dim: Axes, keepdim: bool = False) -> str:
    of = Reduced.of(x, dim, keepdim)
    return f"{of.out} = log({of.sum(f'exp({of.x})')}); {of.gradient} = {of.g}·exp({of.x} - {of.out})"


def loss(term: str, *slopes: tuple[str, str]) -> Any:
    """Return the formula of a loss with its reduction: `x`, `y`, `w` in its term stand for entries.

    `slopes` are derivatives of the term by an input, where they are not derived.
    """

    def formula(out: Any, x: Any, y: Any, w: Any = 1, *, reduction: str) -> str:
        shape = np.broadcast_shapes(np.shape(x), np.shape(y))
        places, values = letters(len(shape)), {"x": x, "y": y, "w": w}

        def filled(text: str) -> str:
            for name, value in values.items():
                spelling = spread(name, np.shape(value), places, shape) if not isinstance(value, int) else str(value)
                text = text.replace("{" + name + "}", spelling)
            return text.replace("1·", "")

        is_none = reduction == "none"
        share = f"/{max(math.prod(shape), 1)}" if reduction == "mean" else ""
        all_terms = summed(places, f"({filled(term)})")
        total = filled(term) if is_none else f"({all_terms}){share}"
        g = entry("g", places) if is_none else "g"
        gradients = [f"; {entry(f'∂{name}', places)} = {g}·({filled(slope)}){share}" for name, slope in slopes]
        return f"{entry('out', places) if is_none else 'out'} = {total}{''.join(gradients)}"

    return formula


def likelihood(out: Any, x: Any, target: Any, weight: Any = 1, *, reduction: str, ignore_index: int) -> Any:
    """Return the formula of `nll_loss`: the entry at the label counts, times its class's weight."""
    places = letters(np.ndim(x))
    axis = 0 if len(places) == 1 else 1
    batch = put(places, axis)
    shape = np.shape(x)[:axis] + np.shape(x)[axis + 1 :]
    labels = np.reshape(np.asarray(target).astype(int), shape)
    given: Given = {} if np.shape(target) == shape else {"label": ("the label", labels)}
    label = entry("label" if given else "target", batch)
    chosen = entry("x", put(places, axis, label))
    weighted = chosen if isinstance(weight, int) else f"weight[{label}]·{chosen}"
    counted = f" where {label} ≠ {ignore_index}" if (labels == ignore_index).any() else ""
    if reduction == "none":
        return f"{entry('out', batch)} = -{weighted}{counted}", given
    total = f"-({summed(batch, weighted)}{counted})"
    if reduction == "sum":
        return f"out = {total}", given
    kept = labels[labels != ignore_index]
    count = float(kept.size if isinstance(weight, int) else np.sum(np.asarray(weight)[kept]))
    return f"out = {total}/({count!r})" if count else f"out = {total}", given


# Index formulas of operations that take entries by indices, or put entries in places of a tensor.


def gathered(out: Any, x: Any, index: Any, *, dim: int, **_: Any) -> str:
    """Return the formula of `gather` and of sorting; `index` holds the position that each entry comes from."""
    places = letters(np.ndim(x))
    source = entry("x", put(places, dim, entry("index", places)))
    return f"{entry('out', places)} = {source}"


def ordered(out: Any, x: Any, indices: Any, **options: Any) -> str:
    return gathered(out, x, indices, dim=options["dim"]).replace("index", "indices")


def picked(out: Any, x: Any, indices: Any, *, dim: int, keepdim: bool = False, **_: Any) -> str:
    places = letters(np.ndim(x))
    left = put(places, dim, *(["0"] if keepdim else [])) if places else places
    return f"{entry('out', left)} = {entry('x', put(places, dim, entry('indices', left)))}"


def index_selected(out: Any, x: Any, index: Any, *, dim: int) -> str:
    places = letters(np.ndim(x))
    if not places:
        return f"{entry('out', ['0'] * np.ndim(out))} = x"
    place = f"index[{places[dim]}]" if np.ndim(index) else "index"
    return f"{entry('out', places if np.ndim(out) else [])} = {entry('x', put(places, dim, place))}"


def indexed(out: Any, x: Any, i: Any, *more: Any, dims: Sequence[int]) -> str:
    """Return the formula of indexing with tensors: the entries they name."""
    indices = [np.asarray(index) for index in (i, *more)]
    are_positions = all(index.dtype.kind in "iu" and (index >= 0).all() for index in indices)
    if not are_positions:
        return ELSEWHERE
    shape = np.broadcast_shapes(*(index.shape for index in indices))
    all_letters = letters(len(shape) + np.ndim(x) - len(dims))
    together = all(b - a == 1 for a, b in pairwise(dims))
    at = dims[0] if together else 0
    broad, rest = all_letters[at : at + len(shape)], [*all_letters[:at], *all_letters[at + len(shape) :]]
    names = ["i", *(f"more{n}" for n in range(len(more)))]
    chosen = {}
    for dim, name, index in zip(dims, names, indices, strict=True):
        lead = len(shape) - index.ndim
        spots = ["0" if n == 1 != shape[lead + axis] else broad[lead + axis] for axis, n in enumerate(index.shape)]
        chosen[dim] = entry(name, spots) if spots else str(index)
    free = iter(rest)
    places = [chosen[dim] if dim in chosen else next(free) for dim in range(np.ndim(x))]
    return f"{entry('out', all_letters)} = {entry('x', places)}"


# Index formulas of convolution, pooling and resizing: sums over windows, or the entry that a window gives.


Sizes = Sequence[int]
CELLS, KERNEL, SPOTS = "ijl", "abd", "pqr"  # letters of a place in the result, in the window, in the input
NAMES = ("plane", "row", "column")


def plus(letter: str, start: int, step: int = 1) -> str:
    """Return `2·i + 1`."""
    times = letter if step == 1 else f"{step}·{letter}"
    return f"{times} + {start}" if start > 0 else f"{times} - {-start}" if start else times


class Windows:
    """The letters of windows over several dimensions: `cells` of the result, `kernel` within, `spots` of the input.

    `offsets` are the letters of `kernel`, which has 0 where a window has one entry; `bound` has them with their sizes.
    """

    def __init__(self, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> None:
        count = len(stride)
        self.cells, self.spots = list(CELLS[:count]), list(SPOTS[:count])
        self.kernel = [a if n > 1 else "0" for a, n in zip(KERNEL, kernel, strict=False)]
        self.offsets = [a for a in self.kernel if a != "0"]
        self.bound = [f"{a}<{n}" for a, n in zip(self.kernel, kernel, strict=True) if n > 1]
        sides = zip(self.cells, self.kernel, stride, padding, dilation, strict=True)
        self.places = [f"{plus(i, 0, s)} + {plus(a, -p, d)}" if a != "0" else plus(i, -p, s) for i, a, s, p, d in sides]

    @property
    def meet(self) -> str:
        """The conditions under which a window reaches a spot."""
        return ", ".join(f"{place} = {spot}" for place, spot in zip(self.places, self.spots, strict=True))


def _channel(w: Any, groups: int) -> str:
    """Return the input channel that belongs to `c` of a kernel: the groups take turns."""
    out, channels = np.shape(w)[:2]
    if groups == 1:
        return "c"
    first = "o" if out == groups else f"(o//{out // groups})"
    return first if channels == 1 and out == groups else f"{channels}·{first} + c"


def _bias(bias: Any, channel: str) -> str:
    return f" + bias[{channel}]" if np.ndim(bias) else ""


def convolved(
    out: Any, x: Any, w: Any, bias: Any, *, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> str:
    at = Windows(np.shape(w)[2:], stride, padding, dilation)
    source = entry("x", ["n", _channel(w, groups), *at.places])
    kernel = entry("w", ["o", "c", *at.kernel])
    total = summed(["c", *at.offsets], f"{source}·{kernel}")
    return f"{entry('out', ['n', 'o', *at.cells])} = {total}{_bias(bias, 'o')}"


def largest(positions: Any) -> Any:
    """Return the formula of max-pooling; `positions` finds the entries that it takes, in each image."""

    def formula(
        out: Any, x: Any, *, kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, **o: Any
    ) -> tuple[str, Given]:
        at = Windows(kernel_size, stride, padding, dilation)
        lead = _lead(x, kernel_size)
        cells = [*lead, *at.cells]
        names = _names(kernel_size)
        met = ", ".join(f"{entry(name, cells)} = {spot}" for name, spot in zip(names, at.spots, strict=True))
        forward = f"{entry('out', cells)} = {summed(at.bound, entry('x', [*lead, *at.places]), 'max_')}"
        gradient = f"{entry('∂x', [*lead, *at.spots])} = {summed(at.cells, entry('g', cells))} where {met}"
        options = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation, **o}
        return f"{forward}; {gradient}", _given(names, positions(x, **options), x, kernel_size)

    return formula


def _lead(x: Any, kernel: Sizes) -> list[str]:
    return list("nc" if np.ndim(x) - len(kernel) == 2 else "c")[: np.ndim(x) - len(kernel)]


def _names(kernel: Sizes) -> tuple[str, ...]:
    return NAMES[3 - len(kernel) :]


def _given(names: Sequence[str], flat: Any, x: Any, kernel: Sizes) -> Given:
    places = np.unravel_index(flat, np.shape(x)[-len(kernel) :])
    words = "the place of the largest entry of a window, the first of several"
    return {name: (words, place) for name, place in zip(names, places, strict=True)}


def averaged(divisor: Any) -> Any:
    """Return the formula of average pooling; `divisor` counts the entries of each window."""

    def formula(
        out: Any, x: Any, *, kernel_size: Sizes, stride: Sizes, padding: Sizes, **o: Any
    ) -> str | tuple[str, Given]:
        at = Windows(kernel_size, stride, padding, (1,) * len(stride))
        lead = _lead(x, kernel_size)
        count = divisor(x, kernel_size=kernel_size, stride=stride, padding=padding, **o)
        total = summed(at.bound, entry("x", [*lead, *at.places]))
        left = entry("out", [*lead, *at.cells])
        if not np.ndim(count):
            return f"{left} = ({total})/{count}"
        return f"{left} = ({total})/{entry('count', at.cells)}", {"count": ("the number of entries of a window", count)}

    return formula


# Differentials of operations on whole matrices: the change of the result, given that of the inputs.
#
# They are programs of the expression language; `dA` is a small change of `A`. Cholesky factors and eigenvalues are
# those of symmetric matrices, whose changes are symmetric, too.


INVERSE = "-out @ dA @ out"
DETERMINANT = "out*trace(inverse(A) @ dA)"
LOGARITHM = "trace(inverse(A) @ dA)"
CHOLESKY = "M = inverse(out) @ dA @ inverse(out).T; out @ (tril(M) - diag(diag(M))/2)"
EIGENVALUES = "V = eigh(A).eigenvectors; diag(V.T @ dA @ V)"
EIGENVECTORS = (
    "w = eigh(A).eigenvalues; D = unsqueeze(w, 0) - unsqueeze(w, 1); out @ where(D == 0, 0, (out.T @ dA @ out)/D)"
)
SINGULAR = "U = svd(A, False).U; V = svd(A, False).Vh.T; s = svd(A, False).S; M = U.T @ dA @ V; "
SINGULAR_VALUES = "U = svd(A, False).U; V = svd(A, False).Vh.T; diag(U.T @ dA @ V)"
GAPS = "D = unsqueeze(s**2, 0) - unsqueeze(s**2, 1); "
LEFT = SINGULAR + GAPS + "U @ where(D == 0, 0, (M*s + (M*s).T)/D) + (dA @ V - U @ M)/s"
RIGHT = SINGULAR + GAPS + "(V @ where(D == 0, 0, (M.T*s + (M.T*s).T)/D) + (dA.T @ U - V @ M.T)/s).T"
TURNED = "Q = qr(A).Q; R = qr(A).R; M = Q.T @ dA @ inverse(R); W = tril(M, -1) - tril(M, -1).T; "
ORTHOGONAL = TURNED + "Q @ W + dA @ inverse(R) - Q @ M"
TRIANGULAR = TURNED + "(M - W) @ R"


def solution(out: Any, A: Any, B: Any, *, left: bool = True) -> str:
    return "inverse(A) @ (dB - dA @ out)" if left else "(dB - out @ dA) @ inverse(A)"


def triangle(out: Any, A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> str:
    kept = "triu" if upper else "tril"
    inner = f", {1 if upper else -1}" if unitriangular else ""
    ones = f" + eye({np.shape(A)[-1]})" if unitriangular else ""
    names = f"T = {kept}(A{inner}){ones}; dT = {kept}(dA{inner}); "
    return names + ("inverse(T) @ (dB - dT @ out)" if left else "(dB - out @ dT) @ inverse(T)")
