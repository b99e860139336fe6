"""Whatever a snippet nests within itself, however often, is freed without recursion in C, on a small stack."""

from __future__ import annotations

import subprocess

import pytest

from tests.commands.served import program

STACK = 2**18  # bytes: a type whose freeing recurses ends it after 2,500 to 10,000 levels
BEFORE = """
import collections, contextlib, copy, functools, itertools, operator, torch, types, typing
def f(*values, **named): return 0
def g(y): yield y
class A:
    def __init__(self, y): self.y = y
    def m(self): return self
class S:
    __slots__ = ("y",)
    def __init__(self, y): self.y = y
class L(list): pass
class D(dict): pass
class E(Exception): pass
class M(AttributeError): pass
"""
# Statements that wrap `x` once more; the first are of types that have been met.
SMALL = [
    "x = collections.deque([x])",
    "x = collections.deque([x]).copy()",
    "x = collections.deque([x]) * 1",
    "x = collections.deque() + collections.deque([x])",
    "x = collections.defaultdict(None, {1: x})",
    "x = collections.defaultdict(None, {1: x}).copy()",
    "x = collections.defaultdict() | {1: x}",
]
OTHERS = [
    "x = functools.partial(f, x)",
    "x = functools.partial(f, y=x)",
    "x = functools.lru_cache(x or f)",
    "x = functools.cache(x or f)",
    "x = functools.cached_property(x or f)",
    "x = functools.wraps(x)(lambda: 0)",
    "x = functools.reduce(f, [], x) or [x]",
    "x = map(f, x or [])",
    "x = map(x or f, [])",
    "x = filter(f, x or [])",
    "x = filter(x, [])",
    "x = zip(x or [])",
    "x = enumerate(x or [])",
    "x = reversed([x])",
    "x = iter([x])",
    "x = iter((x,))",
    "x = iter({x: 1})",
    "x = iter({1: x}.values())",
    "x = iter({1: x}.items())",
    "x = {1: x}.values()",
    "x = iter(f, x)",
    "x = iter(functools.partial(f, x), 3)",
    "x = itertools.chain(x or [])",
    "x = itertools.chain.from_iterable([x])",
    "x = itertools.cycle([x])",
    "x = itertools.repeat(x)",
    "x = itertools.islice(x or [], 3)",
    "x = itertools.starmap(f, x or [])",
    "x = itertools.takewhile(x, [])",
    "x = itertools.accumulate([], initial=x)",
    "x = itertools.groupby(x or [])",
    "x = itertools.groupby([], x)",
    "x = itertools.zip_longest([], fillvalue=x)",
    "x = itertools.product([x])",
    "x = itertools.permutations([x])",
    "x = itertools.compress([x], [1])",
    "x = collections.OrderedDict([(1, x)])",
    "x = collections.Counter({1: x})",
    "x = operator.itemgetter(x)",
    "x = [x]",
    "x = (x,)",
    "x = {1: x}",
    "x = frozenset([x])",
    "x = L([x])",
    "x = D({1: x})",
    "x = (lambda y: lambda: y)(x)",
    "x = lambda y=x: y",
    "x = g(x)",
    "x = g(x); next(x)",
    "x = (i for i in [x])",
    "x = (i for i in x or [])",
    "x = A(x)",
    "x = A(x).m",
    "x = A(x).__dict__",
    "x = super(A, A(x))",
    "x = S(x)",
    "x = [x].append",
    "x = types.SimpleNamespace(a=x)",
    "x = contextlib.nullcontext(x)",
    "x = int | (x or str)",
    "x = typing.Optional[x or int]",
    "x = ValueError(x)",
    "x = StopIteration(x)",
    "x = AttributeError(obj=x)",
    "x = NameError(name=x)",
    "x = ImportError(name=x)",
    "x = OSError(1, 'a', x)",
    "x = SystemExit(x)",
    "x = SyntaxError('a', ('b', x, 1, 'c'))",
    "x = ExceptionGroup('a', [x or ValueError()])",
    "x = E(x)",
    "x = M(obj=x)",
    *(
        f"try: raise {kind} from x\n    except {kind} as e: x = e"
        for kind in ("ValueError", "StopIteration", "AttributeError", "OSError", "E", "M")
    ),
    "x = torch.utils.data.TensorDataset(torch.ones(1)); x.a = x",
    "x = torch.nn.Sequential(x or torch.nn.ReLU())",
    "x = torch.ones(1).requires_grad_() + (0 if x is None else x)",
]


def freed(statement: str, levels: int) -> str:
    """A snippet that nests values and lets go of them."""
    return f"x = None\nfor _ in range({levels}):\n    {statement}\nx = y = e = None\nprint('freed')\n"


def check(statements: list[str], levels: int = 15_000) -> None:
    text = BEFORE + "".join(f"print({statement!r})\n{freed(statement, levels)}" for statement in statements)
    limits = f"import resource; resource.setrlimit(resource.RLIMIT_STACK, ({STACK}, {STACK}))"
    command = f"{limits}; from gradcli.__main__ import main; main()"
    arguments = ["run", "-", "--max-steps", "1000000000", "--timeout", "600"]
    done = subprocess.run([*program(), command, *arguments], input=text, capture_output=True, text=True)
    assert done.stdout.splitlines() == [line for statement in statements for line in (*statement.split("\n"), "freed")]
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_small_objects_of_c() -> None:
    check(["x = collections.deque([x])", "x = collections.defaultdict(None, {1: x})"])


@pytest.mark.slow
def test_all_ways_to_nest_them() -> None:
    check(SMALL)


@pytest.mark.slow
def test_other_objects() -> None:
    check(OTHERS)
