from __future__ import annotations

from tests.script.agreement import REFUSED, agree, programs, unreachable


@programs(
    "d = datetime(2024, 1, 2, 3, 4, 5); "
    "print(d, repr(d), d.strftime('%Y-%m-%d %H:%M'), d.isoformat(), d.year, d.date())",
    "print(timedelta(seconds=90), timedelta(days=1).total_seconds(), datetime(2024, 3, 1) - datetime(2024, 2, 1))",
    "print(date(2024, 1, 31) + timedelta(days=1), date(2024, 1, 2).weekday(), datetime.strptime('2024', '%Y').month)",
    "print(isinstance(datetime.now(), datetime), datetime.now() > datetime(2020, 1, 1))\n"
    "refused(lambda: date(2024, 13, 1))",
)
def test_dates_are_pythons(program: str) -> None:
    agree(f"from datetime import date, datetime, timedelta\n{REFUSED}\n{program}")


def test_dates_lead_nowhere() -> None:
    unreachable("import datetime\ndatetime.datetime.now().__reduce__")
