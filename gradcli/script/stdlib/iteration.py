"""`itertools`: every step that an iterator takes is counted, so that endless ones end with the limits."""

from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.tables import members_named
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.iteration import Counting, counting_iterator
from gradcli.script.python.values.operators import BINARY, bounded_iterable


def _after_function(make: Callable[..., Any]) -> Callable[..., Any]:
    return lambda function, items: Counting(make(called(function), counting_iterator(items)))


def _after_source(make: Callable[..., Any]) -> Callable[..., Any]:
    return lambda items, *rest, **named: Counting(make(counting_iterator(items), *rest, **named))


def _of_sources(make: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *items, **named: Counting(make(*map(counting_iterator, items), **named))


def _of_whole(make: Callable[..., Any]) -> Callable[..., Any]:
    def call(items: Any, r: int | None = None) -> Iterator[Any]:
        pool = tuple(bounded_iterable(items))
        running.machine.budget.fits(len(pool) if r is None else r, "each of them")
        return Counting(make(pool) if r is None and make is itertools.permutations else make(pool, r))

    return call


def called(function: Any) -> Any:
    """Return a function for a type, as in `filterfalse(bool, x)`."""
    return function.__call__ if isinstance(function, BuiltinType) else function


def count(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    """Count without end, but for the limits."""
    return Counting(itertools.count(start, step))


def cycle(items: Any) -> Iterator[Any]:
    """Repeat the items without end, but for the limits."""
    return Counting(itertools.cycle(Counting(bounded_iterable(items))))


def repeat(value: Any, times: int | None = None) -> Iterator[Any]:
    """Repeat a value, without end if no number of times is given."""
    return Counting(itertools.repeat(value) if times is None else itertools.repeat(value, times))


def product(*items: Any, repeat: int = 1) -> Iterator[Any]:
    """Yield all combinations of one item of each."""
    pools = [tuple(bounded_iterable(item)) for item in items]
    running.machine.budget.fits(len(pools) * repeat, "each of them")
    return Counting(itertools.product(*pools, repeat=repeat))


def accumulate(items: Any, func: Any = None, *, initial: Any = None) -> Iterator[Any]:
    """Yield running totals."""
    add = BINARY[ast.Add] if func is None or func is operator.add else called(func)
    return Counting(itertools.accumulate(counting_iterator(items), add, initial=initial))


def flattened(items: Any) -> Iterator[Any]:
    """`chain.from_iterable`."""
    return Counting(itertools.chain.from_iterable(map(counting_iterator, counting_iterator(items))))


def namespace(name: str) -> Namespace:
    """`itertools`."""
    members = {
        **members_named(itertools, "starmap takewhile dropwhile filterfalse", _after_function),
        **members_named(itertools, "islice groupby", _after_source),
        **members_named(itertools, "chain zip_longest pairwise compress", _of_sources),
        **members_named(itertools, "permutations combinations combinations_with_replacement", _of_whole),
    }
    members["chain"] = BuiltinType("chain", (), members["chain"], {"from_iterable": flattened}, "itertools")
    written_here = {"count": count, "cycle": cycle, "repeat": repeat, "product": product, "accumulate": accumulate}
    return Namespace(name, members | written_here)
