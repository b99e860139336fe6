"""`collections`: Python's own containers, with the methods that snippets may call and texts of limited size."""

from __future__ import annotations

import collections
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.tables import TABLES, describe, fields, members_named
from gradcli.script.python.text.formatting import REPRESENTATIONS, join_items
from gradcli.script.python.values import natives  # noqa: F401  the methods of dict and tuple
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.python.values.failures import shown_argument
from gradcli.script.python.values.operators import bounded_iterable
from gradcli.script.stdlib.data import kinds
from gradcli.script.stdlib.data.tuples import namedtuple


class Deque(collections.deque[Any]):
    """`collections.deque`."""

    __slots__ = ()


class DefaultDict(collections.defaultdict[Any, Any]):
    """`collections.defaultdict`."""

    __slots__ = ()


Deque.__name__, DefaultDict.__name__ = "deque", "defaultdict"


def _measured(method: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method that reads its arguments to their end."""

    def call(value: Any, *items: Any, **named: Any) -> Any:
        return method(value, *map(bounded_iterable, items), **named)

    return call


def _made(kind: type) -> Callable[..., Any]:
    """Wrap a constructor that reads its arguments to their end."""
    return lambda *items, **named: kind(*map(bounded_iterable, items), **named)


def deque_(items: Any = (), maxlen: int | None = None) -> Deque:
    return Deque(bounded_iterable(items), maxlen)


def defaultdict_(factory: Any = None, *items: Any, **named: Any) -> DefaultDict:
    return DefaultDict(factory, *map(bounded_iterable, items), **named)


def elements(counter: Counter[Any]) -> Iterator[Any]:
    """Yield every item as often as it was counted; each costs a step."""
    for item in counter.elements():
        running.machine.budget.spend(1)
        yield item


def _set_factory(value: Any, factory: Any) -> None:
    value.default_factory = factory


DICT = TABLES[dict].methods
describe(
    OrderedDict,
    methods=DICT | members_named(OrderedDict, "move_to_end pop popitem copy keys values items"),
    getters=fields("_metadata"),  # which the state of a module has
)
describe(
    DefaultDict,
    methods=DICT | members_named(DefaultDict, "copy"),
    getters={"default_factory": lambda value: shown_argument(value.default_factory)},
    setters={"default_factory": _set_factory},
)
describe(
    Counter,
    methods=DICT
    | members_named(Counter, "most_common total copy")
    | {"elements": elements, "update": _measured(Counter.update), "subtract": _measured(Counter.subtract)},
)
describe(
    Deque,
    methods=members_named(Deque, "append appendleft pop popleft rotate clear copy count index insert remove reverse")
    | {"extend": _measured(Deque.extend), "extendleft": _measured(Deque.extendleft)},
    getters=fields("maxlen"),
)


def _counter_text(value: Counter[Any]) -> str:
    return join_items("Counter(", [("", dict(value.most_common()))] if value else [], ")")


def _deque_text(value: Deque) -> str:
    limit = "" if value.maxlen is None else f", maxlen={value.maxlen}"
    return join_items("deque([", (("", item) for item in value), f"]{limit})")


REPRESENTATIONS[Counter] = _counter_text
REPRESENTATIONS[Deque] = _deque_text
REPRESENTATIONS[DefaultDict] = lambda value: join_items(
    "defaultdict(", [("", value.default_factory), ("", dict(value))], ")"
)


MADE: dict[str, tuple[type, Callable[..., Any]]] = {
    "OrderedDict": (OrderedDict, _made(OrderedDict)),
    "defaultdict": (DefaultDict, defaultdict_),
    "Counter": (Counter, _made(Counter)),
    "deque": (Deque, deque_),
}
KINDS = {
    word: TYPES.setdefault(kind, BuiltinType(word, kind, construct, module="collections"))
    for word, (kind, construct) in MADE.items()
}


def namespace(name: str) -> Namespace:
    """`collections`."""
    return Namespace(name, {"namedtuple": namedtuple, "abc": kinds.namespace("collections.abc"), **KINDS})
