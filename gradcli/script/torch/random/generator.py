"""The Mersenne Twister (mt19937), the source of all random numbers of torch.

Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number generator",
1998. Numpy has one too, but importing `numpy.random` takes longer than most scripts run.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from gradcli.engine.dtypes import TYPE_NAMES
from gradcli.errors import AutogradError
from gradcli.facts import dataclass

Words = np.ndarray[Any, np.dtype[np.uint32]]

SIZE, MIDDLE = 624, 397
FIRST, REST, MATRIX = np.uint32(0x80000000), np.uint32(0x7FFFFFFF), np.uint32(0x9908B0DF)


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a twister: its block of words, never written to again, and the number of words used."""

    block: Words
    used: int


class Twister:
    """An endless sequence of words of 32 bits; `position` may be kept and set again."""

    def __init__(self, seed: int) -> None:
        block = [seed & 0xFFFFFFFF]
        for index in range(1, SIZE):
            last = block[-1]
            block.append((1812433253 * (last ^ last >> 30) + index) & 0xFFFFFFFF)
        self.position = Position(np.array(block, np.uint32), SIZE)

    @property
    def position(self) -> Position:
        return Position(self._block, self._used)

    @position.setter
    def position(self, position: Position) -> None:
        self._block, self._used = position.block, position.used
        self._words = _tempered(position.block)

    def words(self, count: int) -> Words:
        """Return the next `count` words."""
        taken = [self._words[self._used : self._used + count]]
        self._used += count
        while self._used > SIZE:
            self._used -= SIZE
            self._block = _following(self._block)
            self._words = _tempered(self._block)
            taken.append(self._words[: self._used])
        return taken[0] if len(taken) == 1 else np.concatenate(taken)


def _following(block: Words) -> Words:
    """Return the next block; a word needs the one 227 before it, so that three parts are made one by one."""
    after = np.empty_like(block)
    twisted = _twisted(block[:-1], block[1:])
    lag = SIZE - MIDDLE
    after[:lag] = block[MIDDLE:] ^ twisted[:lag]
    after[lag : 2 * lag] = after[:lag] ^ twisted[lag : 2 * lag]
    after[2 * lag : -1] = after[lag : MIDDLE - 1] ^ twisted[2 * lag :]
    after[-1] = after[MIDDLE - 1] ^ _twisted(block[-1], after[0])
    return after


def _twisted(word: Any, following: Any) -> Any:
    """Join one bit of a word to the rest of the following one, and multiply by the matrix of the recurrence."""
    return ((word & FIRST) | (following & REST)) >> np.uint32(1) ^ (following & np.uint32(1)) * MATRIX


def _tempered(block: Words) -> Words:
    """Return the words of a block in the form that they are drawn."""
    words: Words = block ^ block >> np.uint32(11)
    words ^= words << np.uint32(7) & np.uint32(0x9D2C5680)
    words ^= words << np.uint32(15) & np.uint32(0xEFC60000)
    words ^= words >> np.uint32(18)
    return words


Array = np.ndarray[Any, Any]


def standard_normals(uniforms: Array) -> Array:
    """Make normal numbers of uniform ones in [0, 1), in blocks of 16 as torch does: eight radii with eight angles."""
    blocks = uniforms.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * each(math.log, 1 - blocks[:, 0]))
    angle = uniforms.dtype.type(2 * math.pi) * blocks[:, 1]  # which torch rounds before it asks for the cosine
    normals = np.stack([radius * each(math.cos, angle), radius * each(math.sin, angle)], axis=1)
    return normals.reshape(uniforms.shape).astype(uniforms.dtype)


def each(function: Callable[[float], float], values: Array) -> Array:
    """Apply a function of the C library to every entry; numpy's own sometimes differ in the last digit."""
    return np.fromiter(map(function, values.ravel().tolist()), np.float64, values.size).reshape(values.shape)


Shape = tuple[int, ...]

FIRST_SEED = 67280421310721  # of a torch.Generator that was never seeded
MANY = 2**28  # ranges from here on take 64 bits a number
SINGLE, DOUBLE, LONG = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64)


@dataclass(frozen=True, slots=True)
class State:
    """The state of a generator, which determines the next numbers."""

    seed: int
    position: Position
    spare: float | None


def outermost_first(array: Array) -> list[int]:
    """Return the dimensions in the order in which the entries lie in memory."""
    return sorted(range(array.ndim), key=lambda axis: -array.strides[axis])


def in_memory_order(array: Array, draw: Callable[..., Array], **apart: bool) -> Array:
    """Draw numbers for an array in the order in which its entries lie in memory, as torch fills tensors.

    `draw` takes a shape, and the options if the entries do not lie side by side in the order of their indices.
    """
    if array.flags.c_contiguous:
        return draw(array.shape)
    order = outermost_first(array)
    numbers = draw(tuple(array.shape[axis] for axis in order), **apart)
    return numbers.transpose(np.argsort(order))


class Generator:
    """torch's generator of random numbers on the CPU.

    Numbers are drawn in the order of torch 2.13 and agree bit for bit with those on a processor with AVX2. On those of
    Intel torch leaves `bernoulli` with a plain number, and so dropout, to a library of Intel's; here they are as on
    others.
    """

    def __init__(self, seed: int = FIRST_SEED) -> None:
        self.manual_seed(seed)

    def manual_seed(self, seed: int) -> Self:
        """Start again from a seed of 64 bits; ValueError when it is larger. Negative ones count from 2**64 down."""
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % 2**64
        self._twister = Twister(self._seed)
        self._spare: float | None = None  # the second of two normal numbers, for the next call
        return self

    def initial_seed(self) -> int:
        """The seed that the numbers began with."""
        return self._seed

    def seed(self) -> int:
        """Start again from a seed that cannot be foreseen, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") % 2**53)
        return self._seed

    def get_state(self) -> State:
        return State(self._seed, self._twister.position, self._spare)

    def has_moved(self, since: State) -> bool:
        """Tell whether numbers were drawn since a state; each block of them is another array."""
        now = self.get_state()
        places = [(x.position.used, id(x.position.block), x.seed, x.spare) for x in (now, since)]
        return places[0] != places[1]

    def set_state(self, state: State) -> None:
        """Go back to where `get_state` was called."""
        self._seed, self._twister.position, self._spare = state.seed, state.position, state.spare

    def random64(self) -> int:
        """Return a number of 63 bits, as `torch.empty((), dtype=torch.int64).random_()`."""
        return int(self._long_words(1)[0]) % 2**63

    def uniform(self, shape: Shape, dtype: np.dtype[Any], low: float = 0.0, high: float = 1.0) -> Array:
        """Draw numbers from `low` up to but not `high`: `torch.rand`, `Tensor.uniform_`."""
        if low > high:
            raise AutogradError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
        wide = np.promote_types(dtype, SINGLE).type
        start, end = wide(low), wide(high)
        values = _scaled(self._fractions(math.prod(shape), wide), end - start, start).astype(dtype)
        return np.where(values == dtype.type(high), dtype.type(low), values).reshape(shape)

    def normal(
        self, shape: Shape, dtype: np.dtype[Any], mean: float = 0.0, std: float = 1.0, *, apart: bool = False
    ) -> Array:
        """Draw normal numbers: `torch.randn`, `Tensor.normal_`.

        Fewer than 16 are made in pairs, in float64; 16 and more in blocks of 16, and the last 16 a second time when the
        count is no multiple of 16. Entries that lie `apart` in memory are made as few are.
        """
        if not std >= 0:
            raise AutogradError(f"normal expects std >= 0.0, but found std {std:g}")
        count = math.prod(shape)
        if count < 16 or apart:
            pairs = np.array([self._single_normal() for _ in range(count)], DOUBLE)
            single = (pairs * std + mean).astype(np.promote_types(dtype, SINGLE))
            return single.astype(dtype).reshape(shape)
        wide = np.promote_types(dtype, SINGLE).type
        full = count // 16 * 16
        # torch fills a float16 tensor block by block, the others at once, to replace the end of it afterwards.
        drawn = self._fractions(full if dtype.itemsize == 2 else count, wide)[:full]
        values = np.empty(count, wide)
        values[:full] = standard_normals(drawn)
        if full < count:
            values[-16:] = standard_normals(self._fractions(16, wide))
        return _scaled(values, wide(std), wide(mean)).astype(dtype).reshape(shape)

    def exponential(self, shape: Shape, dtype: np.dtype[Any], rate: float = 1.0) -> Array:
        """Draw waiting times of a given rate: `Tensor.exponential_`."""
        if not rate > 0:
            raise AutogradError(f"exponential_ expects lambda > 0.0, but found lambda={rate:g}")
        values = -1 / rate * each(math.log1p, -self._fractions(math.prod(shape), np.float64))
        return values.astype(np.promote_types(dtype, SINGLE)).astype(dtype).reshape(shape)

    def integers(self, low: int, high: int, shape: Shape, dtype: np.dtype[Any] = LONG) -> Array:
        """Draw integers from `low` up to but not `high`: `torch.randint`."""
        if low >= high:
            raise AutogradError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
        count = math.prod(shape)
        words = self._long_words(count) if high - low >= MANY else self._twister.words(count).astype(np.uint64)
        values = words % np.uint64(high - low) + np.uint64(low % 2**64)
        return values.view(np.int64).astype(dtype).reshape(shape)

    def permutation(self, n: int) -> Array:
        """Return the numbers below n in random order: `torch.randperm`."""
        if n < 0:
            raise AutogradError(f"Trying to create tensor with negative dimension {n}: [{n}]")
        order = list(range(n))
        places = self._twister.words(max(n - 1, 0)) % np.arange(n, 1, -1, dtype=np.uint32)
        for place, ahead in enumerate(places.tolist()):
            order[place], order[place + ahead] = order[place + ahead], order[place]
        return np.array(order, LONG)

    def bernoulli(self, p: Any, shape: Shape) -> Array:
        """Draw True with probability `p`: `Tensor.bernoulli_` for a number, `torch.bernoulli` for an array."""
        chances = np.asarray(p)
        if not ((chances >= 0) & (chances <= 1)).all():
            raise AutogradError(f"bernoulli_ expects p to be in [0, 1], but got p={chances.ravel()[0]:g}")
        drawn = self._fractions(math.prod(shape), np.float64 if chances.dtype == DOUBLE else np.float32)
        return drawn.reshape(shape) < chances

    def multinomial(self, weights: Array, count: int, replacement: bool = False) -> Array:
        """Draw `count` positions for each row of weights, in proportion to these: `torch.multinomial`.

        The weights have one or two axes. Raises AutogradError for weights that are no probabilities, and for more
        positions than there are when none may come twice.
        """
        _check_choices(weights, count, replacement)
        if count > 1 and replacement:
            rows = np.cumsum(weights.reshape(-1, weights.shape[-1]), axis=-1)
            steps = (rows / rows[:, -1:]).astype(DOUBLE)
            positions = [np.searchsorted(row, self._fractions(count, np.float64)) for row in steps]
            return np.array(positions, LONG).reshape(*weights.shape[:-1], count)
        axes = outermost_first(weights)  # the order in memory of torch's numbers, which lie as the weights do
        times = self.exponential(tuple(weights.shape[axis] for axis in axes), weights.dtype)
        ranks = weights / times.transpose(np.argsort(axes))
        return np.argsort(-ranks, axis=-1, kind="stable")[..., :count]

    def _single_normal(self) -> float:
        if self._spare is not None:
            value, self._spare = self._spare, None
            return value
        turn, u = self._fractions(2, np.float64).tolist()
        radius, angle = math.sqrt(-2 * math.log1p(-u)), 2 * math.pi * turn
        self._spare = radius * math.sin(angle)
        return radius * math.cos(angle)

    def _fractions(self, count: int, dtype: type[Any]) -> Array:
        """Draw numbers in [0, 1): 24 bits of a word in float32, 53 of two in float64."""
        if dtype is np.float32:
            return (self._twister.words(count) & np.uint32(2**24 - 1)).astype(np.float32) * np.float32(2.0**-24)
        return (self._long_words(count) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53

    def _long_words(self, count: int) -> Array:
        """Words of 64 bits, the high half first."""
        words = self._twister.words(2 * count).astype(np.uint64)
        return words[::2] << np.uint64(32) | words[1::2]


def _scaled(values: Array, factor: Any, shift: Any) -> Array:
    """Return `values*factor + shift`, in single precision rounded once as torch does."""
    wide: Array = values.astype(DOUBLE) * DOUBLE.type(factor) + DOUBLE.type(shift)
    return wide.astype(values.dtype)


def _check_choices(weights: Array, count: int, replacement: bool) -> None:
    if weights.dtype.kind != "f":
        kind = TYPE_NAMES.get(weights.dtype, str(weights.dtype))
        raise AutogradError(f"multinomial only supports floating-point dtypes for input, got: {kind}")
    if count <= 0:
        raise AutogradError("cannot sample n_sample <= 0 samples")
    if not replacement and count > weights.shape[-1]:
        raise AutogradError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if not ((weights >= 0) & (weights < math.inf)).all():
        raise AutogradError("probability tensor contains either `inf`, `nan` or element < 0")
    if not weights.any(axis=-1).all():
        raise AutogradError("invalid multinomial distribution (sum of probabilities <= 0)")
