"""Classes that derive from Python's own types, from enumerations, and from tuples with names."""

from __future__ import annotations

import pytest

from tests.script.python.agreement import check, programs
from tests.script.running import ours


@programs("parents")
def test_classes_of_pythons_own_types(program: str) -> None:
    check(program)


@programs("enumerations")
def test_enumerations(program: str) -> None:
    check(program)


@programs("records")
def test_tuples_with_names(program: str) -> None:
    check(program)


@programs("imports")
def test_imports_of_everything(program: str) -> None:
    check(program)


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import socket\nprint(1)", "1\n"),
        ("from pandas import DataFrame\nDataFrame({})", "pandas.DataFrame is not supported in snippets"),
        ("try:\n    import socket\nexcept ImportError as e:\n    print(e)", "the module socket is not supported"),
        ("try:\n    import pandas\nexcept ImportError as e:\n    print(e)", "No module named 'pandas'"),
        ("import sys\nsys.exit('bye')", "SystemExit: bye"),
    ],
)
def test_what_is_not_there(program: str, words: str) -> None:
    assert words in ours(program)
