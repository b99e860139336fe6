from __future__ import annotations

import pytest

from tests.script.agreement import REFUSED, agree, limited, programs, unreachable


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


@programs(
    "functools.partial(print).__reduce__",
    "functools.lru_cache(print).__wrapped__",
    "operator.attrgetter('__class__.__base__')(1)",
    "contextlib.contextmanager.__globals__",
    "functools.wraps(print)(lambda: 1).__globals__",
)
def test_functions_lead_nowhere(program: str) -> None:
    unreachable(f"import functools, operator, contextlib\n{program}")


@programs(
    "class C:\n    @functools.cached_property\n    def v(self):\n        print('once')\n"
    "        return 5\nc = C(); print(c.v, c.v)",
    "@functools.total_ordering\nclass T:\n    def __init__(self, v): self.v = v\n"
    "    def __eq__(self, o): return self.v == o.v\n"
    "    def __lt__(self, o): return self.v < o.v\nprint(T(1) <= T(2), T(1) >= T(2), T(3) > T(2))",
    "print(sorted([3, 1, 2], key=functools.cmp_to_key(lambda a, b: b - a)), operator.methodcaller('upper')('a'))",
    "k = functools.cmp_to_key(lambda a, b: a - b)\n"
    "print(k(1) < k(2), k(2) <= k(1), k(1) == k(1), k(1) != k(1), k(1) > k(2), k(1) >= k(1), max([3, 1], key=k))\n"
    "print(type(k).__name__, type(k(1)).__name__, sorted([2, 1], key=k), min((2,), (1,), key=lambda t: k(t[0])))",
    "k = functools.cmp_to_key(lambda a, b: a - b)\nfor call in (lambda: k(1) < 2, lambda: k(1) == 1):\n"
    "    try: call()\n    except TypeError as error: print(error)",
    "with contextlib.ExitStack() as s:\n    s.enter_context(contextlib.nullcontext()); "
    "s.callback(print, 'last'); print('first')",
    "class D:\n    def close(self): print('closed')\nwith contextlib.closing(D()) as d: print(type(d).__name__)",
    "class M:\n    def __enter__(self): return self\n"
    "    def __exit__(self, t, v, b): print(t.__name__, v); return True\n"
    "with contextlib.ExitStack() as s:\n    s.enter_context(M()); raise ValueError('x')\nprint('after')",
)
def test_more_of_functions_and_blocks(program: str) -> None:
    agree(f"import contextlib, functools, operator\n{program}")
