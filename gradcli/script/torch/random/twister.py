"""The Mersenne Twister (mt19937), the source of all random numbers of torch.

Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number generator",
1998. Numpy has one too, but importing `numpy.random` takes longer than most scripts run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
