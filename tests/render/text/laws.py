"""The laws of a page at every width, read off its text, and off the pieces that the layout places."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import pytest
from rich.cells import cell_len

from gradcli.render.text import layout
from gradcli.render.text.looks import Looks

WIDTHS = range(40, 201)
WHOLE = re.compile(r"\d+(?:\.\d+)?(?:e[+-]\d+)?|\w+|\*\*|->|[<>=!]=")
Page = Callable[[Looks], str]


def columns(text: str) -> int:
    return max(map(cell_len, text.split("\n")))


def whole(text: str, free: str, width: int) -> Counter[str]:
    """Count the numbers, names and operators of a text, without parts of those that half a line cannot hold."""
    wide = "\n".join({found for found in WHOLE.findall(free) if cell_len(found) * 2 > width})
    return Counter(found for found in WHOLE.findall(text) if found not in wide)


def fits(page: Page, *widths: int, **options: Any) -> None:
    """A page is no wider than a terminal, says the same as without a width, and splits no token."""
    free = page(Looks(**options))
    for width in widths:
        narrow = page(Looks(width=width, **options))
        assert columns(narrow) <= width, narrow
        assert "".join(narrow.split()) == "".join(free.split())
        assert whole(narrow, free, width) == whole(free, free, width)


def keeps_tokens(page: Page, *widths: int, **options: Any) -> None:
    """A drawing is no wider than a terminal, and each number, name and operator on it stands on the wide one."""
    free = page(Looks(**options))
    for width in widths:
        narrow = page(Looks(width=width, **options))
        assert columns(narrow) <= width, narrow
        assert whole(narrow, free, width).keys() <= whole(free, free, width).keys() | {"see"}, narrow


@contextmanager
def aligned(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Within it, every section is laid out in columns."""
    lay_out = layout._table

    def checked(rows: Any, indent: int, room: int) -> Any:
        lines = list(lay_out(rows, indent, room))
        places: defaultdict[tuple[bool, int], set[int]] = defaultdict(set)
        for line in lines:
            assert all(a.at < b.at for a, b in pairwise(line))
            for piece in line[1:]:
                places[piece.kind == "below", piece.column].add(piece.at)
        assert all(len(found) == 1 for found in places.values()), places
        return lines

    with monkeypatch.context() as patch:
        patch.setattr(layout, "_table", checked)
        yield
