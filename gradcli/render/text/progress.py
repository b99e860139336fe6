"""The progress of a long job: a bar on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

from gradcli.render.text.looks import Looks, wants_color

if TYPE_CHECKING:
    from rich.console import Console

T = TypeVar("T")


def watched(blocks: Iterable[Any], source: Any, looks: Looks, stack: ExitStack) -> Iterator[Any]:
    """The blocks of a file, with a bar that shows how much of it was read; the stack takes it away."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    bar = Progress(
        TextColumn("{task.percentage:>3.0f}%"),
        *([] if looks.ascii else [BarColumn()]),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=console(looks),
        transient=True,
    )
    task = stack.enter_context(bar).add_task("", total=source.size)
    for block in blocks:
        yield block
        bar.update(task, completed=source.file.tell())


def rows(total: int | None, looks: Looks, stack: ExitStack) -> Callable[[int], None]:
    """Show a bar of rows, with rows a second; returns a function that takes the rows that were done since."""
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TimeRemainingColumn
    from rich.table import Column
    from rich.text import Text

    class Rows(ProgressColumn):
        def render(self, task: Task) -> Text:
            whole = "" if task.total is None else f" of {task.total:,.0f}"
            rate = "" if task.speed is None else f", {task.speed:,.0f} a second"
            return Text(f"{task.completed:,.0f}{whole} rows{rate}")

    shape = [] if looks.ascii else [BarColumn(20)]
    columns = (*shape, Rows(Column(no_wrap=True)), TimeRemainingColumn())
    bar = stack.enter_context(Progress(*columns, console=console(looks), transient=True))
    task = bar.add_task("", total=total)
    return lambda done: bar.advance(task, done)


def after_a_second(items: Iterable[T], total: int | None, looks: Looks, stack: ExitStack) -> Iterator[T]:
    """The items, with a bar once they take longer than a second, where somebody looks; the stack takes it away.

    `total` is None where it is not known how many there are.
    """
    start, bar = time.monotonic(), None
    for count, item in enumerate(items):
        yield item
        if bar is None and sys.stderr.isatty() and time.monotonic() - start > 1:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

            shape = [] if looks.ascii else [BarColumn()]
            columns = (*shape, MofNCompleteColumn(), TimeRemainingColumn())
            bar = stack.enter_context(Progress(*columns, console=console(looks), transient=True))
            bar.add_task("", total=total)
        if bar is not None:
            bar.update(bar.task_ids[0], completed=count + 1)


def console(looks: Looks) -> Console:
    from rich.console import Console

    color = wants_color("auto", True) or looks.color
    return Console(stderr=True, no_color=not color, legacy_windows=False, safe_box=looks.ascii)
