from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED, agree, limited, programs


@programs(
    "print(functools.reduce(lambda a, b: a * b, [1, 2, 3, 4]), functools.reduce(lambda a, b: a + b, [[1], [2]], []))",
    "p = functools.partial(pow, 2); print(p(5), functools.partial(int, base=2)('101'), p.args, p.keywords)",
    "refused(lambda: functools.reduce(lambda a, b: a, []))",
    "def deco(f):\n    @functools.wraps(f)\n    def inner(*a):\n        return f(*a) + 1\n    return inner\n"
    "@deco\ndef add(a, b=1):\n    'adds'\n    return a + b\nprint(add(1), add.__name__, add.__doc__)",
    "@functools.lru_cache(maxsize=None)\ndef fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
    "print(fib(50), fib.cache_info(), fib.__name__); fib.cache_clear(); print(fib.cache_info())",
    "@functools.cache\ndef a(x): return x * x\n@functools.lru_cache\ndef b(x): return x + 1\nprint(a(3), a(3), b(4))",
    "class A:\n    @functools.lru_cache(None)\n    def f(self, x): return x * 2\nprint(A().f(4))",
    "print(operator.add(1, 2), operator.mul('a', 3), sorted([(1, 2), (0, 3)], key=operator.itemgetter(1)))",
    "print(operator.itemgetter(0, 1)([5, 6]), operator.attrgetter('start')(range(3)), operator.neg(3), "
    "operator.lt(1, 2))",
    "@contextlib.contextmanager\ndef c(n):\n    print('in', n); yield n * 2; print('out')\nwith c(3) as z: print(z)",
    "with contextlib.suppress(ValueError, KeyError): int('x')\nwith contextlib.nullcontext(5) as z: print(z)",
    "def f():\n    with contextlib.suppress(ValueError): {}['k']\nrefused(f)",
)
def test_functions_of_functions_are_pythons(program: str) -> None:
    agree(f"import functools, operator, contextlib{REFUSED}{program}")


@pytest.mark.slow
def test_reduction_stays_within_the_limits() -> None:
    limited("import functools\nfunctools.reduce(lambda a, b: a * a, range(2, 10**7))")
    limited("import operator\noperator.mul([0], 10**10)")
