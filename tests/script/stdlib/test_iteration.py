from __future__ import annotations

import pytest

from tests.script.agreement import agree, limited, programs


@programs(
    "print(list(I.chain([1], 'ab', (2,))), list(I.chain.from_iterable([[1], [2, 3]])), list(I.chain()))",
    "print(list(I.product([1, 2], 'ab')), list(I.product([0, 1], repeat=3)), list(I.product()))",
    "print(list(I.permutations([1, 2, 3], 2)), list(I.permutations([1, 2])), list(I.combinations('abc', 2)))",
    "print(list(I.combinations_with_replacement('ab', 2)), list(I.islice(I.count(5, 2), 3)), next(I.count()))",
    "print(list(I.islice(I.cycle('ab'), 5)), list(I.repeat(1, 3)), list(I.islice(I.repeat(1), 2)))",
    "print(list(I.zip_longest([1, 2], [3], fillvalue=0)), list(I.pairwise([1, 2, 3])), "
    "list(I.compress('abc', [1, 0, 1])))",
    "print(list(I.accumulate([1, 2, 3])), list(I.accumulate([1, 2, 3], lambda a, b: a * b, initial=10)))",
    "print(list(I.starmap(pow, [(2, 3)])), list(I.takewhile(lambda x: x < 3, [1, 5, 2])))",
    "print(list(I.dropwhile(lambda x: x < 3, [1, 5, 2])), list(I.filterfalse(lambda x: x % 2, "
    "range(5))), list(I.filterfalse(bool, [0, 1])))",
    "print([(k, list(g)) for k, g in I.groupby(['a', 'b', 'cc'], key=len)])",
    "print(list(I.islice([1, 2, 3, 4], 1, None, 2)), list(I.islice('abc', 2)))",
)
def test_iterators_are_pythons(program: str) -> None:
    agree(f"import itertools as I\n{program}")


@pytest.mark.slow
@programs(
    "list(I.product(range(10**4), repeat=4))",
    "I.product([1], repeat=10**10)",
    "list(I.cycle([1]))",
    "list(I.repeat(1))",
    "list(I.repeat(1, 10**10))",
    "sum(I.count())",
    "next(I.filterfalse(None, I.count(1)))",
    "list(I.filterfalse(None, range(1, 10**12)))",
    "next(I.dropwhile(bool, range(1, 10**12)))",
    "list(I.permutations(range(20)))",
    "list(I.combinations(range(100), 50))",
    "list(I.compress(range(10**12), I.repeat(0)))",
    "list(I.chain.from_iterable(I.repeat(range(10**7))))",
    "list(I.islice(I.count(), 10**9, None))",
    "list(I.zip_longest(range(10**10), [1]))",
    "list(I.accumulate(range(2, 10**7), lambda a, b: a * a))",
    "list(I.groupby(range(10**10)))",
    "list(iter(range(10**9)))",
    "list(reversed(range(10**9)))",
    "list(map(str, iter(range(10**9))))",
)
def test_steps_are_counted(program: str) -> None:
    limited(f"import itertools as I\n{program}")
