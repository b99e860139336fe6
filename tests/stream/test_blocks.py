"""However an input is cut into pieces, its lines are the same."""

from __future__ import annotations

import os
from itertools import pairwise, repeat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import EvaluationError, UsageError
from gradcli.stream import records
from gradcli.stream.inputs import Input
from gradcli.stream.records import Block, read_blocks
from gradcli.stream.table import with_whole_rows


def numbered(found: list[Block | None]) -> list[tuple[int, bytes | None]]:
    """Each line with its number; None for one that is too long."""
    lines: list[tuple[int, bytes | None]] = []
    for block in found:
        if block is not None and block.problem:
            lines.append((block.first, None))
        elif block is not None:
            lines += enumerate(block.data.removesuffix(b"\n").split(b"\n"), block.first)
    return lines


def pieces(data: bytes, cuts: list[int]) -> list[bytes | None]:
    places = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    return [data[a:b] for a, b in pairwise(places) if a < b]


@given(
    st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b""))), st.lists(st.integers(0)), st.booleans()
)
def test_pieces(lines: list[bytes], cuts: list[int], is_ended: bool) -> None:
    data = b"\n".join(lines) + b"\n" * is_ended
    expected = [(number, line) for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), 1)] if data else []
    assert numbered(list(read_blocks(pieces(data, cuts)))) == expected


@given(st.lists(st.integers(0, 9), min_size=1), st.lists(st.integers(0)))
def test_lines_that_are_too_long_are_skipped(lengths: list[int], cuts: list[int]) -> None:
    data = b"".join(b"x" * length + b"\n" for length in lengths)
    before, records.LONGEST = records.LONGEST, 5
    try:
        found = numbered(
            list(read_blocks(part[at : at + 4] for part in pieces(data, cuts) for at in range(0, len(part), 4)))
        )
    finally:
        records.LONGEST = before
    assert found == [(number, b"x" * n if n <= 5 else None) for number, n in enumerate(lengths, 1)]


@given(
    st.lists(st.sampled_from(['1,"a\nb"', '"""",2', "1,2", '"a\n\n,""\nb",1', ""]), max_size=8),
    st.lists(st.integers(0)),
)
def test_rows_over_several_lines_stay_whole(rows: list[str], cuts: list[int]) -> None:
    data = "".join(f"{row}\n" for row in rows).encode()
    found = list(with_whole_rows(read_blocks(pieces(data, cuts))))
    assert b"".join(block.data for block in found if block) == data
    starts = {1 + data[:place].count(b"\n") for place in range(len(data)) if data[:place].count(b'"') % 2 == 0}
    assert {block.first for block in found if block} <= starts | {1}


def test_a_pipe_is_read_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writing = os.open(path, os.O_RDWR)
    source = Input(str(path))
    os.write(writing, b"\xef\xbb\xbf1\n")
    found = source.pieces()
    assert next(found) == b"1\n"
    assert next(found) is None
    os.write(writing, b"2\n")
    assert next(found) == b"2\n"
    assert source.size is None
    source.close()
    os.close(writing)


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere", "\0"):
        with pytest.raises(UsageError, match="cannot read"):
            Input(str(path))


@pytest.mark.parametrize(
    ("piece", "told"),
    [(b"\0" * 2**19, "line 1 has no end in 512 MB"), (b"\n" * 2**19, "blank lines"), (b" \r\n" * 2**18, "blank lines")],
)
def test_an_input_without_an_end_is_ended(piece: bytes, told: str) -> None:
    """Of line ends, and of one line, there are never more than a few blocks."""
    found = []
    with pytest.raises(EvaluationError, match=told):
        found.extend(read_blocks(repeat(piece)))
    assert sum(len(block.data) for block in found if block) <= 2**21
    assert [block.problem for block in found if block and block.problem]
