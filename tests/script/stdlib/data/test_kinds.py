from __future__ import annotations

from tests.script.agreement import agree, programs


@programs(
    "n = types.SimpleNamespace(a=1, b='x'); n.c = 3; print(n, n.a, n == types.SimpleNamespace(a=1, b='x', c=3))",
    "from collections.abc import Callable, Iterable, Mapping, Sequence\n"
    "print(isinstance([1], Iterable), isinstance(5, Iterable), isinstance('a', Sequence), isinstance({}, Mapping))\n"
    "print(isinstance(len, Callable))",
)
def test_kinds_are_pythons(program: str) -> None:
    agree(f"import types, collections\n{program}")
