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
        ("import math\nmath.sqr(2)", "AttributeError: module 'math' has no attribute 'sqr'"),
        ("import nowhere", "ModuleNotFoundError: No module named 'nowhere'"),
        ("from math import sqr", "ImportError: cannot import name 'sqr' from 'math'"),
        ("import socket\nprint(1)", "1\n"),
        ("import socket\nsocket.socket()", "the module socket is not supported in snippets"),
        ("import torchvision.datasets as d, pandas as pd\nprint(2)", "2\n"),
        ("from torchvision import transforms\ntransforms.ToTensor()", "torchvision.transforms is not supported"),
        ("from pandas import DataFrame\nDataFrame({})", "pandas.DataFrame is not supported in snippets"),
        ("try:\n    import socket\nexcept ImportError as e:\n    print(e)", "the module socket is not supported"),
        ("try:\n    import pandas\nexcept ImportError as e:\n    print(e)", "No module named 'pandas'"),
        ("import sys\nsys.exit('bye')", "SystemExit: bye"),
        ("class A(list):\n    def __len__(self): return 0", "defining __len__ is not supported"),
    ],
)
def test_what_is_not_there(program: str, words: str) -> None:
    assert words in ours(program)
