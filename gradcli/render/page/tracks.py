"""Tracks: what an element of the page shows from which step on. The page plays them, and knows nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from gradcli.stream.values import Json

Changes = Iterable[tuple[int, Json]]  # from this step on, this text or look


class Tracks:
    """The tracks of a page. Equal ones are kept once, and an element has the number of its track."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Json, ...], int] = {}

    def add(self, changes: Changes) -> int:
        """Return the number of a track; changes that change nothing are left out."""
        kept: list[tuple[int, Json]] = []
        for step, shown in changes:
            if kept and kept[-1][0] == step:
                kept.pop()
            if not kept or kept[-1][1] != shown:
                kept.append((step, shown))
        return self._numbers.setdefault(tuple(chain.from_iterable(kept)), len(self._numbers))

    @property
    def document(self) -> Json:
        """The tracks by number, each as steps and what is shown from then on, in turn."""
        return [list(track) for track in self._numbers]
