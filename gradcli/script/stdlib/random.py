"""`random`: Python's own generator, so that a seed gives the same numbers as in Python."""

from __future__ import annotations

from random import Random
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.tables import describe, members_named
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.python.values.operators import bounded_iterable

METHODS = (
    "seed random uniform randint randrange choice gauss normalvariate lognormvariate expovariate betavariate "
    "gammavariate triangular vonmisesvariate paretovariate weibullvariate getstate setstate"
)


def choices(source: Random, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> Any:
    """Draw `k` items with replacement."""
    running.machine.budget.fits(k, "the sample")
    return source.choices(population, weights, cum_weights=cum_weights, k=k)


def sample(source: Random, population: Any, k: int, *, counts: Any = None) -> Any:
    """Draw `k` items without replacement."""
    running.machine.budget.fits(k, "the sample")
    return source.sample(
        bounded_iterable(population) if isinstance(population, range) else population, k, counts=counts
    )


def shuffle(source: Random, items: Any) -> None:
    """Put a list into random order."""
    source.shuffle(bounded_iterable(items))


def getrandbits(source: Random, k: int) -> int:
    """Draw a whole number of `k` bits."""
    running.machine.budget.bits(k)
    return source.getrandbits(k)


TABLE = members_named(Random, METHODS) | {
    "choices": choices,
    "sample": sample,
    "shuffle": shuffle,
    "getrandbits": getrandbits,
}

describe(Random, methods=TABLE)
RANDOM = TYPES[Random] = BuiltinType("Random", Random, Random, module="random")


def namespace(name: str) -> Namespace:
    """`random`, with a generator for this run alone."""
    source = Random()
    members: dict[str, Any] = {word: method.__get__(source) for word, method in TABLE.items()}
    return Namespace(name, members | {"Random": RANDOM})
