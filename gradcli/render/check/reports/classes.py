"""Tables about a class for its teacher: the quantities as items of a test, and pairs of students to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradcli.homework.assignment.assignments import Assignment
from gradcli.homework.model import Result
from gradcli.homework.statistics.items import COMMONEST, Item, Items, Pair, Shared, Similar
from gradcli.render.check.marking import NAME, PLAIN, clipped, said
from gradcli.render.check.reports.cells import harmless, line, typed
from gradcli.render.text.numbers import number

DIGITS = 3  # of a statistic


def write_items(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """Yield one row a quantity: how hard it is, whether it tells students apart, and its commonest wrong values."""
    items = Items(assignment)
    for result in results:
        items.add(result)
    wrong = [f"{name} {place}" for place in range(1, COMMONEST + 1) for name in ("wrong", "count", "explained by")]
    yield line(["question", "quantity", "n", "missing", "p", "discrimination", *wrong])
    yield from map(_item, items.items)


def _item(item: Item) -> str:
    discrimination = "" if item.discrimination is None else number(item.discrimination, DIGITS)
    cells = []
    for one in item.wrong:
        cells += [typed(clipped(one.text, NAME)), str(one.count)]
        cells.append("" if one.diagnosis is None else harmless(said(one.diagnosis, PLAIN)))
    cells += [""] * (3 * COMMONEST - len(cells))
    return line(
        [item.question, item.quantity],
        [str(item.n), str(item.missing), number(item.p, DIGITS), discrimination, *cells],
    )


def write_similar(assignment: Assignment, results: Iterable[Result]) -> Iterator[str]:
    """Yield one row a pair of students who share wrong values that nothing explains, the rarest values first."""
    similar = Similar()
    for result in results:
        similar.add(result)
    yield line(["student", "student", "bits", "shared", "values"])
    yield from map(_pair, similar.pairs)


def _pair(pair: Pair) -> str:
    values = "; ".join(map(_shared, pair.shared))
    return line([pair.first, pair.second], [number(pair.weight, DIGITS), str(len(pair.shared)), harmless(values)])


def _shared(one: Shared) -> str:
    owner = f", right on the sheet of {clipped(one.owner, NAME)}" if one.owner else ""
    return f"{one.question}: {one.quantity} is {clipped(one.text, NAME)} ({one.students} students{owner})"
