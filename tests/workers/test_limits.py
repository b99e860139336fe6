"""Sizes as options have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.workers.limits import UNITS, read_size, written


@pytest.mark.parametrize(
    ("text", "size"),
    [("1G", 2**30), ("512M", 2**29), ("64 MB", 2**26), ("64MiB", 2**26), ("1.5k", 1536), ("100", 100), ("0", 0)],
)
def test_sizes(text: str, size: int) -> None:
    assert read_size(text) == size


@pytest.mark.parametrize("text", ["", "G", "-1G", "1e9", "1 G B", "1P", "nan", "٣G", "1" * 40, "1..5M", "1G\n1"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="512M"):
        read_size(text)


@given(st.sampled_from(sorted(UNITS.values())), st.integers(1, 1023))
def test_a_size_is_read_as_it_is_written(unit: int, count: int) -> None:
    assert read_size(written(unit * count).removesuffix("bytes")) == unit * count
