"""How far a batch is: a bar on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any

from gradcli.render.looks import Looks, wants_color


def watched(blocks: Iterable[Any], source: Any, looks: Looks, stack: ExitStack) -> Iterator[Any]:
    """The blocks of a file, with a bar that shows how much of it was read; the stack takes it away."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    color = wants_color("auto", True) if not looks.color else True
    console = Console(stderr=True, no_color=not color, legacy_windows=False, safe_box=looks.ascii)
    bar = Progress(
        TextColumn("{task.percentage:>3.0f}%"),
        *([] if looks.ascii else [BarColumn()]),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    task = stack.enter_context(bar).add_task("", total=source.size)
    for block in blocks:
        yield block
        bar.update(task, completed=source.file.tell())
