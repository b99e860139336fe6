"""When work was handed in, as systems write times, and the points that lateness takes off."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from math import ceil

from gradcli.errors import UsageError
from gradcli.homework.model import Result, lowered

MONTHS = ("jan", "feb|fév", "mar|mär|mrz", "apr|avr|abr", "may|mai", "jun|juin", "jul|juil", "aug|aoû|ago", "sep|set",
          "oct|okt|out", "nov", "dec|dez|déc|dic")  # fmt: skip
CLOCK = (
    r"(?:[T,]|\s|at|um|à)*(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.\d+)?)?\s*(?P<half>[ap]\.?m\.?)?"
    r"\s*(?P<utc>Z|UTC|GMT)?\s*(?P<zone>[-+]\d{1,2}(?::?\d\d)?)?"
)
WEEKDAY = r"(?:[^\W\d]{2,12}\.?,\s*)?"
DATES = [
    re.compile(WEEKDAY + date + CLOCK, re.IGNORECASE)
    for date in (
        r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})",
        r"(?P<day>\d{1,2})\.?\s+(?:de\s+)?(?P<name>[^\W\d]{3,})\.?,?\s+(?:de\s+)?(?P<year>\d{4})",
        r"(?P<name>[^\W\d]{3,})\.?\s+(?P<day>\d{1,2}),?\s+(?P<year>\d{4})",
        r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4}|\d\d)",
        r"(?P<one>\d{1,2})/(?P<other>\d{1,2})/(?P<year>\d{4}|\d\d)",
    )
]
DAY = timedelta(days=1)


def times_of(texts: Sequence[str]) -> list[datetime | None]:
    """Return the times of a column, None for a text that is none; whether `3/4/2026` is in March the others decide."""
    matches = [next(filter(None, (date.fullmatch(text.strip()) for date in DATES)), None) for text in texts]
    slashed = [(int(match["one"]), int(match["other"])) for match in matches if match and "one" in match.groupdict()]
    is_day_first, is_month_first = any(a > 12 for a, _ in slashed), any(b > 12 for _, b in slashed)
    order = None if is_day_first == is_month_first else is_day_first
    return [None if match is None else time_of(match, is_day_first=order) for match in matches]


def time_of(match: re.Match[str], *, is_day_first: bool | None) -> datetime | None:
    parts = {"month": "", "name": "", "day": "", "one": "", "other": "", **match.groupdict()}
    day, month = parts["day"], parts["month"]
    if parts["one"]:
        if is_day_first is None:
            return None
        day, month = (parts["one"], parts["other"]) if is_day_first else (parts["other"], parts["one"])
    if parts["name"]:
        number = next((place for place, pattern in enumerate(MONTHS, 1) if re.match(pattern, parts["name"].lower())), 0)
        month = str(number)
    hour = int(parts["hour"]) % 12 + 12 * parts["half"].lower().startswith("p") if parts["half"] else int(parts["hour"])
    try:
        year = int(parts["year"]) + (2000 if len(parts["year"]) == 2 else 0)
        at = datetime(year, int(month), int(day), hour, int(parts["minute"]), int(parts["second"] or 0))
        return at.replace(tzinfo=zone_of(parts["zone"], is_utc=bool(parts["utc"])))
    except ValueError:
        return None


def zone_of(text: str | None, *, is_utc: bool) -> timezone | None:
    if not text:
        return UTC if is_utc else None
    digits = text[1:].replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-offset if text[0] == "-" else offset)


def days_late(submitted: datetime, deadline: datetime) -> int:
    """Return the days that have begun since a deadline; a time without a zone is in that of the deadline.

    Raises UsageError where a time has a zone and the deadline has none.
    """
    if submitted.tzinfo is None:
        submitted = submitted.replace(tzinfo=deadline.tzinfo)
    if deadline.tzinfo is None and submitted.tzinfo is not None:
        help = f"write deadline = {deadline.isoformat()}+01:00, or another zone"
        raise UsageError("E024", "work was handed in at times with a zone, and the deadline has none", help=help)
    return max(0, ceil((submitted - deadline) / DAY))


def on_time(graded: Iterable[tuple[datetime | None, Result]], deadline: datetime, penalty: float) -> Iterator[Result]:
    """Yield the results, those of late work with less points and a note; warn of those of which no time is known."""
    unknown = 0
    for submitted, result in graded:
        unknown += submitted is None and not result.is_absent
        late = days_late(submitted, deadline) if submitted else 0
        if not late:
            yield result
            continue
        share = max(0.0, 1 - penalty * late)
        note = f"handed in {late} day{'s' * (late > 1)} late" + (f": {100 * share:.3g}% of the points" * (share < 1))
        yield replace(lowered(result, share), notes=(*result.notes, note))
    if unknown:
        message = f"when {unknown} of the submissions were handed in is not known, and none of them is taken for late"
        warnings.warn(message, stacklevel=2)
