"""Sizes as options have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.workers.limits import LONGEST, SHORTEST, UNITS, read_seconds, read_size, size_text


@pytest.mark.parametrize(
    ("text", "size"),
    [("1G", 2**30), ("512M", 2**29), ("64 MB", 2**26), ("64MiB", 2**26), ("1.5k", 1536), ("100", 100), ("0", 0)],
)
def test_sizes(text: str, size: int) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "G", "-1G", "1e9", "1 G B", "1P", "nan", "٣G", "1" * 40, "1..5M", "1G\n1", "1" + "0" * 14 + "T"]
)
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="write "):
        read_size(text)


@given(st.sampled_from(sorted(set(UNITS.values()) - {2**40})), st.integers(1, 1023))
def test_a_size_is_read_as_it_is_written(unit: int, count: int) -> None:
    assert read_size(size_text(unit * count).removesuffix("bytes")) == unit * count


@given(
    st.text() | st.floats().map(str) | st.integers().map(str) | st.sampled_from(["1e7", "0.01", "nan", "inf", "1e308"])
)
def test_seconds_are_those_of_a_clock(text: str) -> None:
    try:
        seconds = read_seconds(text)
    except ValueError as error:
        assert "such as 2.5" in str(error)  # noqa: PT017
    else:
        assert SHORTEST <= seconds <= LONGEST
