"""Numbers from text and to text, with orjson and without: the same, and as Python writes them."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.stream.digits import NotFiniteError, TwiceError, read, read_json, read_rows, spell, spell_rows
from gradcli.stream.values import plain


def any_double() -> st.SearchStrategy[float]:
    raw = st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0])
    powers = st.builds(lambda digits, exponent: digits * 10.0**exponent, st.integers(-999, 999), st.integers(-9, 22))
    return raw | powers | st.floats() | st.sampled_from([0.0, -0.0, 1e-4, 1e16, 9999999999999998.0, 0.00009999])


def written(value: Any) -> str:
    text = json.dumps(plain(value))
    return text.strip('"')


@pytest.mark.usefixtures("form")
@given(st.lists(any_double(), min_size=1, max_size=30))
def test_doubles(values: list[float]) -> None:
    array = np.array(values)
    assert spell(array) == [written(value) for value in array]
    assert spell_rows(array[:, None]) == [f",{text}\n".encode() for text in spell(array)]
    assert spell_rows(np.stack([array, array], 1)) == [f",{text},{text}\n".encode() for text in spell(array)]


@pytest.mark.usefixtures("form")
@given(st.lists(st.floats(width=32) | st.sampled_from([0.1, 1e13, 16777216.0, 1e-7, 3.4e38]), min_size=1))
def test_singles_have_their_own_digits(values: list[float]) -> None:
    array = np.array(values, np.float32)
    assert spell(array) == [written(value) for value in array]
    assert spell(array.astype(np.float16)) == [written(value) for value in array.astype(np.float16)]


@pytest.mark.usefixtures("form")
@given(st.lists(any_double().map(repr) | st.integers().map(str) | st.sampled_from(["+1", ".5", "1.", " 2", "-0"])))
def test_reading(texts: list[str]) -> None:
    if not texts:
        return
    expected = np.array([float(text) for text in texts])
    assert read(",".join(texts), len(texts)).tobytes() == expected.tobytes()


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize(
    "text", ["1_000", "true,1", "1,[2]", "x", "", '"3",1', "null", "0x10", "1,2,3", "1", "{}", "1 2"]
)
def test_what_is_no_list_of_two_numbers(text: str) -> None:
    with pytest.raises(ValueError):
        read(text, 2)


def test_strict_json() -> None:
    assert read_json('{"a": [1, {"b": 2}]}') == {"a": [1, {"b": 2}]}
    with pytest.raises(TwiceError, match="b"):
        read_json('{"a": [1, {"b": 2, "c": 1, "b": 3}]}')
    for text in ("NaN", "[-Infinity]"):
        with pytest.raises(NotFiniteError):
            read_json(text)


@given(
    st.lists(st.lists(any_double().map(repr) | st.sampled_from(["-0", "1_0", "", "é", "1\r"]), min_size=2, max_size=3))
)
def test_rows_are_read_as_cells_are(rows: list[list[str]]) -> None:
    """Or not at all, where there is anything besides numbers."""
    data = "".join(f"{','.join(row)}\n" for row in rows).encode()
    found = read_rows(data, 2)
    if found is not None:
        assert found.tobytes() == np.array([list(map(float, row)) for row in rows], np.float64).tobytes()
