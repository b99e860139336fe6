"""`python -m tests.fuzz`: run cases until the time or their number is reached, and print what is at fault.

    python -m tests.fuzz --jobs 2 --seconds 3600                                         command lines of every kind
    GRADCLI_ALL=1 python -m tests.fuzz --area laws --cases 30000 --seconds 20000         programs, held up to laws

A night's run takes both; `.ci/run` takes some of each.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice

from tests.fuzz.case import LAWS, Case
from tests.fuzz.generators import AREAS, OF_LAWS, Place
from tests.fuzz.running import Verdict, verdicts

SLOWEST = 5


def main() -> int:
    options = read_options()
    areas = {None: AREAS, LAWS: OF_LAWS}.get(options.area, (options.area,))
    if options.case is not None:
        print_case(Place(options.seed, areas[0], options.case))
        return 0
    places = (Place(options.seed, area, number) for number in count(options.first) for area in areas)
    if areas == OF_LAWS:
        from tests.fuzz.laws import laws  # noqa: F401  torch, which each process would import

    summary = Summary()
    for verdict in verdicts(in_time(islice(places, options.cases), options.seconds), options.jobs):
        summary.add(verdict)
        if verdict.fault and len(summary.found[verdict.fault]) == 1:
            print(f"{verdict.item}: {verdict.fault}", file=sys.stderr, flush=True)
    summary.print()
    for name, found in summary.found.items():
        print_find(name, found)
    return 1 if summary.found else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="stop after so many seconds")
    parser.add_argument("--cases", type=int, help="stop after so many cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--area", choices=(*AREAS, LAWS, *OF_LAWS))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--case", type=int, help="run the case of this number alone, and show its outcome")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case of each area")
    return parser.parse_args()


def in_time(places: Iterator[Place], seconds: float) -> Iterator[Place]:
    end = time.monotonic() + seconds
    for place in places:
        if time.monotonic() > end:
            return
        yield place


class Summary:
    """What became of the cases, counted by area and outcome."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.outcomes: dict[str, Counter[str]] = {}
        self.seconds: Counter[str] = Counter()
        self.found: dict[str, list[Verdict]] = {}
        self.limits: list[Verdict] = []
        self.slow: list[Verdict] = []

    def add(self, verdict: Verdict) -> None:
        area = verdict.item.area
        self.outcomes.setdefault(area, Counter())[verdict.outcome.label] += 1
        self.seconds[area] += verdict.outcome.seconds
        if verdict.fault:
            self.found.setdefault(verdict.fault, []).append(verdict)
        if verdict.outcome.end == "limit":
            self.limits.append(verdict)
        self.slow = sorted([*self.slow, verdict], key=lambda one: -one.outcome.seconds)[:SLOWEST]

    def print(self) -> None:
        seconds = time.monotonic() - self.started
        total = sum(sum(counts.values()) for counts in self.outcomes.values())
        print(f"{total:,} cases in {seconds:.0f} s, {total / seconds:.0f} a second; {len(self.found)} finds")
        for area, counts in self.outcomes.items():
            cases = sum(counts.values())
            shares = ", ".join(f"{label} {number:,}" for label, number in sorted(counts.items()))
            print(f"  {area:<7}{cases:>9,}  {1000 * self.seconds[area] / cases:6.2f} ms  {shares}")
        print(
            "  slowest: "
            + ", ".join(f"{one.item.area} {one.item.number} {one.outcome.seconds:.2f} s" for one in self.slow)
        )
        if self.limits:
            print("  ended by a limit: " + ", ".join(f"{one.item.area} {one.item.number}" for one in self.limits[:20]))


def print_find(name: str, found: list[Verdict]) -> None:
    first = min(found, key=lambda verdict: (verdict.item.area, verdict.item.number))
    print(f"\n{name}: {len(found)} cases, such as {first.item}")
    alone = next(verdicts([first.item], 1))
    if alone.fault != name:
        print("  not when it runs alone: it follows from the cases before it")
    print_outcome(first.item.case(), alone)


def print_case(place: Place) -> None:
    print_outcome(place.case(), next(verdicts([place], 1)))


def print_outcome(case: Case, verdict: Verdict) -> None:
    print(case)
    print(f"-> {verdict.outcome.label}, {verdict.outcome.seconds:.2f} s, {verdict.outcome.memory / 2**20:.0f} MB")
    for stream in (verdict.outcome.out, verdict.outcome.err):
        text = stream.decode(errors="backslashreplace")
        if text:
            print("".join(f"  | {ascii(line)[1:-1]}\n" for line in text.split("\n")), end="")


if __name__ == "__main__":
    sys.exit(main())
