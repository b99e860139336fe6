"""`datetime`: Python's own dates, times and spans."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from gradcli.script.machine import running
from gradcli.script.python.members.tables import describe, fields, listed
from gradcli.script.python.values.attributes import BuiltinType, Namespace
from gradcli.script.python.values.builtins import TYPES
from gradcli.script.python.values.special import exact

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


def strftime(value: Any, format: str) -> str:
    """Return a date as text."""
    running.machine.budget.fits(len(format) * 100, "the text")
    return str(value.strftime(format))


def strptime(date_string: str, format: str) -> datetime:
    """`datetime.strptime`, which keeps the formats that it has read: plain texts."""
    return datetime.strptime(exact(date_string), exact(format))


for _kind, _names in METHODS.items():
    _methods = listed(_kind, _names)
    if _kind is not timedelta:
        _methods["strftime"] = strftime
    describe(_kind, methods=_methods, getters=fields(PARTS[_kind]))
    _members = listed(_kind, f"{MAKING[_kind]} min max")
    if "strptime" in _members:
        _members["strptime"] = strptime
    TYPES[_kind] = BuiltinType(_kind.__name__, _kind, _kind, _members, module="datetime")


def namespace(name: str) -> Namespace:
    """`datetime`."""
    return Namespace(name, {kind.__name__: TYPES[kind] for kind in PARTS})
