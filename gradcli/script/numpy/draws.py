"""`np.random`: numpy's own generators, so that a seed gives the same numbers as in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.numerics.lapack import is_finite
from gradcli.script.numpy.functions import option
from gradcli.script.numpy.values import asarray, dtype_of, fits, shape_of, value
from gradcli.script.python.members.tables import describe
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.builtins import TYPES

Draw = Callable[..., Any]

# What both kinds of generators draw, and how many parameters come before the size.
SIZED = {
    "normal": 2,
    "uniform": 2,
    "exponential": 1,
    "standard_normal": 0,
    "poisson": 1,
    "binomial": 2,
    "multinomial": 2,
    "dirichlet": 1,
    "multivariate_normal": 2,
}
LEGACY = {"random_sample": 0, "random": 0, "randint": 2}
SAME = {"sample": "random_sample", "ranf": "random_sample"}
MODERN = {"random": 0, "integers": 2}


def sized(name: str, before: int) -> Draw:
    """Wrap a draw of `size` numbers; sizes and parameters are checked for absurd results first."""

    def draw(source: Any, *parameters: Any, size: Any = None, **options: Any) -> Any:
        if len(parameters) > before:
            size, rest = parameters[before], parameters[before + 1 :]
            if rest:
                options["dtype"] = rest[0]
        values = [value(x) for x in parameters[:before]]
        named = {key: dtype_of(x) if key == "dtype" else option(x) for key, x in options.items()}
        shape = None if size is None else shape_of(size)
        fits(np.prod(shape or (1,), dtype=float) * max([np.size(x) for x in values], default=1))
        if name == "multivariate_normal" and not is_finite(*values):
            raise np.linalg.LinAlgError("SVD did not converge")
        return getattr(source, name)(*values, size=shape, **named)

    return draw


def shaped(name: str) -> Draw:
    """`np.random.rand(2, 3)`: the sizes are the arguments."""
    return lambda source, *sizes: getattr(source, name)(*shape_of(sizes))


def seed(source: Any, seed: Any = None) -> None:
    """Start again from a seed."""
    source.seed(None if seed is None else value(seed))


def choice(source: Any, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    """Draw from the entries of `a`, or from the numbers below it."""
    pool = value(a)
    fits(np.size(pool) if np.ndim(pool) else pool)
    return source.choice(pool, None if size is None else shape_of(size), replace, None if p is None else asarray(p))


def permutation(source: Any, x: Any) -> Any:
    """The entries, or the numbers below `x`, in random order."""
    entries = value(x)
    fits(np.size(entries) if np.ndim(entries) else entries)
    return source.permutation(entries)


def shuffle(source: Any, x: Any) -> None:
    """Put a list or an array into random order."""
    if not isinstance(x, list | np.ndarray):
        raise TypeError("shuffle takes a list or an array")
    source.shuffle(x)


COMMON: dict[str, Draw] = {name: sized(name, before) for name, before in SIZED.items()}
COMMON |= {"choice": choice, "permutation": permutation, "shuffle": shuffle}
OLD = COMMON | {name: sized(name, before) for name, before in LEGACY.items()}
OLD |= {"rand": shaped("rand"), "randn": shaped("randn"), "seed": seed}
NEW = COMMON | {name: sized(name, before) for name, before in MODERN.items()}


def default_rng(seed: Any = None) -> Any:
    """A generator of numbers with a seed of its own."""
    return np.random.default_rng(None if seed is None else value(seed))


def random_state(seed: Any = None) -> Any:
    """A generator of the older kind."""
    return np.random.RandomState(None if seed is None else value(seed))


def namespace(name: str) -> Namespace:
    """`np.random`, with a generator for this run alone."""
    describe(np.random.Generator, methods=NEW)
    describe(np.random.RandomState, methods=OLD)
    state, generator = np.random.RandomState, np.random.Generator
    source = state()
    members: dict[str, Any] = {word: draw.__get__(source) for word, draw in OLD.items()}
    members |= {word: members[numpy_word] for word, numpy_word in SAME.items()}
    members |= {
        "default_rng": default_rng,
        "RandomState": TYPES.setdefault(state, BuiltinType("RandomState", state, random_state, module=name)),
        "Generator": TYPES.setdefault(generator, BuiltinType("Generator", generator, module=name)),
    }
    return Namespace(name, members)
