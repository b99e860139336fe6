"""`datetime`: Python's own dates, times and spans."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.values.attributes import BuiltinType, Namespace, describe
from gradcli.script.python.values.builtins import TYPES

PARTS = {
    date: "year month day",
    time: "hour minute second microsecond",
    datetime: "year month day hour minute second microsecond",
    timedelta: "days seconds microseconds",
}
METHODS = {
    date: "isoformat weekday isoweekday replace toordinal",
    time: "isoformat replace",
    datetime: "isoformat weekday isoweekday replace toordinal date time timestamp",
    timedelta: "total_seconds",
}
MAKING = {
    date: "today fromisoformat fromordinal",
    time: "fromisoformat",
    datetime: "now today utcnow fromisoformat fromtimestamp strptime combine",
    timedelta: "",
}


def _getter(name: str) -> Callable[[Any], Any]:
    return lambda value: getattr(value, name)


def strftime(value: Any, format: str) -> str:
    """A date as text."""
    running.machine.budget.fits(len(format) * 100, "the text")
    return str(value.strftime(format))


for _kind, _names in METHODS.items():
    _methods: dict[str, Any] = {name: getattr(_kind, name) for name in _names.split()}
    if _kind is not timedelta:
        _methods["strftime"] = strftime
    describe(_kind, methods=_methods, getters={name: _getter(name) for name in PARTS[_kind].split()})
    _members = {name: getattr(_kind, name) for name in f"{MAKING[_kind]} min max".split()}
    TYPES[_kind] = BuiltinType(_kind.__name__, _kind, _kind, _members, module="datetime")


def namespace(name: str) -> Namespace:
    """`datetime`."""
    return Namespace(name, {kind.__name__: TYPES[kind] for kind in PARTS})
