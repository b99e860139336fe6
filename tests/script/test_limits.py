"""What has no end, or no size that fits: a clear error within the limits, and never more than 1 GB."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

from gradcli.errors import EvaluationError
from gradcli.render.text.error import print_error
from gradcli.script import limits
from gradcli.script.failure import failure
from gradcli.script.interpreter import run
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.source import Source
from tests.commands.running import PEAK
from tests.commands.served import program
from tests.programs import some
from tests.script.running import ours

# Each with a word of the error that it ends with.
ENDLESS = {
    "while True:\n    pass": "steps",
    "while True: x = [i for i in range(100)]": "steps",
    "def f():\n    while True:\n        yield 1\nfor x in f():\n    pass": "steps",
    "def f():\n    while True:\n        yield 1\nlist(f())": "steps",
    "sum(1 for _ in iter(int, 1))": "steps",
    "[0 for _ in iter(int, 1)]": "steps",
    "import itertools\nlist(itertools.count())": "steps",
    "import itertools\nfor x in itertools.cycle([1]):\n    pass": "steps",
    "import itertools\nlist(itertools.product(range(10**4), repeat=4))": "",
    "try:\n    while True: pass\nexcept BaseException:\n    print('caught')\nfinally:\n    while True: pass": "steps",
    "while True:\n    try:\n        while True: pass\n    except: pass": "steps",
    "def f(): return f()\nf()": "recursion",
    "f = lambda x: f(x)\nf(1)": "recursion",
    "class A:\n    def __repr__(self): return repr(self)\nprint(A())": "recursion",
    "class A:\n    def __eq__(self, other): return self == other\nprint(A() == A())": "recursion",
    "class A:\n    @property\n    def x(self): return self.x\nA().x": "recursion",
    "class A:\n    def __len__(self): return len(self)\nlen(A())": "recursion",
    "def f(x): return max([1, 2], key=f)\nf(1)": "recursion",
    "def f(x): return list(map(f, [x]))\nf(1)": "recursion",
    "def f(x): return sorted([x], key=f)\nf(1)": "recursion",
    "for i in range(10**9): print('x' * 1000)": "",
    "sum(range(10**12))": "elements",
    "max(range(10**12))": "elements",
    "list(range(10**9))": "elements",
    "sorted(range(10**9))": "elements",
    "1.5 in range(10**12)": "elements",
    "for x in zip(range(10**12), range(10**12)): pass": "",
    "list(zip(range(10**12), range(10**12)))": "",
    "list(map(str, range(10**9)))": "",
    "tuple(enumerate(range(10**10)))": "",
    "dict.fromkeys(range(10**10))": "",
    "set(range(10**10))": "",
}
HUGE = {
    "[0] * 10**12": "elements",
    "'x' * 10**12": "elements",
    "(1,) * 10**12": "elements",
    "2**10**9": "whole number",
    "10**10**10": "whole number",
    "1 << 10**10": "whole number",
    "class A(list): pass\nA(range(10**10))": "elements",
    "class A(list): pass\nA([1]) * 10**10": "elements",
    "class A(list): pass\na = A([1])\na *= 10**10": "elements",
    "class A(list):\n    def f(self): super().extend(range(10**10))\nA().f()": "elements",
    "class A(list): pass\nA()[0:0] = range(10**10)": "elements",
    "class A(dict): pass\nA(zip(range(10**10), range(10**10)))": "",
    "class A(set): pass\nA(range(10**10))": "elements",
    "class A(tuple): pass\nA(range(10**10))": "elements",
    "class A(int): pass\nA(2) ** 10**10": "whole number",
    "class A(int): pass\nA(2) << A(10**10)": "whole number",
    "class A(str): pass\nA('x') * 10**10": "elements",
    "class A(str): pass\nA('x').center(10**10)": "elements",
    "class A(str): pass\nA('%999999999999d') % 1": "",
    "class A(float): pass\nf'{A(1):9999999999.3f}'": "elements",
    "x = 2\nwhile True: x = x**x": "whole number",
    "x = 3\nwhile True: x = x * x": "whole number",
    "import math\nmath.factorial(10**9)": "",
    "pow(7, 10**9)": "whole number",
    "int('9' * 10**6)": "",
    "x = 'a'\nwhile True: x = x + x": "elements",
    "x = 'a'\nwhile True: x += x": "elements",
    "x = [1]\nwhile True: x = x + x": "elements",
    "x = [1]\nwhile True: x += x": "elements",
    "x = [1]\nwhile True: x.extend(x)": "elements",
    "x = [1]\nwhile True: x[:0] = x": "elements",
    "x = [1]\nwhile True: x = [*x, *x]": "",
    "x = 'ab'\nwhile True: x = x.replace('a', x)": "elements",
    "x = 'ab'\nwhile True: x = x.join([x, x])": "elements",
    "'x'.ljust(10**10)": "elements",
    "'x'.zfill(10**10)": "elements",
    "f'{1:>10000000000}'": "",
    "f'{1:{10**10}}'": "",
    "f'{1.5:.1000000000f}'": "",
    "'%1000000000d' % 1": "",
    "'%*d' % (10**9, 1)": "",
    "'{:>1000000000}'.format(1)": "",
    "x = [1] * 10\nfor _ in range(12): x = [x] * 10\nprint(x)": "",
    "x = [1] * 10\nfor _ in range(12): x = [x] * 10\nstr(x)": "",
    "x = []\nfor _ in range(60): x = [x, x]\nraise ValueError(x)": "",
    "x = []\nwhile True: x.append([0] * 20_000)": "memory",
    "x = {}\nwhile True: x[len(x)] = 'y' * 10000": "",
    "import torch\ntorch.zeros(10**12)": "elements",
    "import torch\ntorch.ones(10**6, 10**6)": "elements",
    "import torch\ntorch.arange(10**12)": "entries",
    "import torch\ntorch.randn(10**6, 10**4)": "elements",
    "import torch\ntorch.eye(10**6)": "entries",
    "import torch\ntorch.ones(10**6, 1) * torch.ones(1, 10**6)": "",
    "import torch\ntorch.ones(10**6, 1) == torch.ones(1, 10**6)": "",
    "import torch\ntorch.ones(1).expand(10**12).clone()": "",
    "import torch\ntorch.ones(1000).repeat(10**9)": "",
    "import torch\ntorch.outer(torch.ones(10**6), torch.ones(10**6))": "",
    "import torch\nx = torch.ones(10)\nwhile True: x = torch.cat([x, x])": "",
    "import torch\nx = torch.ones(10)\nwhile True: x = torch.stack([x, x])": "",
    "import torch\nx = []\nwhile True: x.append(torch.ones(200, 200))": "memory",
    "import torch\ntorch.tensor(range(10**10))": "elements",
    "import torch\ntorch.nn.Linear(10**6, 10**6)": "elements",
    "import torch\ntorch.nn.functional.one_hot(torch.tensor([10**12]))": "",
    "import torch\ntorch.nn.functional.pad(torch.ones(1), (10**12, 0))": "",
    "import numpy as np\nnp.zeros(10**12)": "elements",
    "import numpy as np\nnp.ones((10**6, 1)) * np.ones((1, 10**6))": "",
    "import numpy as np\nnp.tile([1], 10**12)": "",
    "import collections\ncollections.deque(range(10**10))": "",
    "import collections\ncollections.Counter(range(10**10))": "",
    "list(map(str.upper, ['ab' * 10**6] * 60000))": "",
    "sorted(['ab' * 10**6] * 60000, key=str.upper)": "",
    "list(zip(*[[1] * 1000] * 10**6))": "",
    "import math\nmath.fsum(range(10**9))": "elements",
    "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E()": "steps",
    "import random\nrandom.choices([1], k=10**10)": "",
}
# What is one instruction of Python: the system refuses the memory, and a thread sees to the time.
LONG = {
    "import torch\nx = torch.ones(4000, 4000)\ntorch.cat([x] * 100)": "memory",
    "import torch\nx = torch.ones(4000, 4000)\nx[[0] * 10**5]": "memory",
    "import torch\nx = torch.ones(4000, 4000)\ntry: x[[0] * 10**5]\nexcept MemoryError: pass": "memory",
    "import torch\nx = torch.ones(4000, 4000)\ntry: x[[0] * 10**5]\nfinally: print(1)": "memory",
    "import torch\ntorch.set_printoptions(precision=10**9)\nprint(torch.rand(3))": "memory",
    "import torch\nx = torch.ones(4000, 4000).long()\ntry: x @ x\nexcept: pass": "runs for more",
    "x = iter([1])\nfor _ in range(10**5): x = map(str, x)\nlist(x)": "recursion",
    "x = iter([1])\nfor _ in range(10**5): x = (y for y in x)\nlist(x)": "recursion",
}
DEEP = {
    "parentheses": "x = " + "(" * 10_000 + ")" * 10_000,
    "lists": "x = " + "[" * 10_000 + "]" * 10_000,
    "minuses": "x = " + "-" * 100_000 + "1",
    "sums": "x = " + "+".join(["1"] * 100_000),
    "attributes": "x = x" + ".a" * 100_000,
    "calls": "x = f" + "()" * 50_000,
    "blocks": "\n".join(" " * n + "if 1:" for n in range(500)) + "\n" + " " * 500 + "pass",
    "nested lists": "x = []\nfor _ in range(10**5): x = [x]\nprint(len(repr(x)))\nprint(x == x)\ny = []\n"
    "for _ in range(10**5): y = [y]\nprint(x == y)",
    "lambdas": "x = " + "lambda: " * 5_000 + "1",
    "strings": "x = " + "'a' " * 200_000,
}
# One of each kind of limit, and what only a process of its own shows.
WHOLE = {
    **LONG,
    "while True:\n    pass": "steps",
    "def f(): return f()\nf()": "recursion",
    "[0] * 10**12": "elements",
    "for i in range(10**9): print('x' * 1000)": "",
    "x = []\nwhile True: x.append([0] * 20_000)": "memory",
}
QUICK = ["--timeout", "2", "--max-steps", "300000"]
MEMORY = 2**26
SMALL = Limits(steps=20_000, elements=2**16, seconds=20, memory=MEMORY)


def gradcli_run(text: str) -> tuple[int, str, int]:
    """The exit code, standard error, and the peak memory in kB of a process of its own."""
    done = subprocess.run(
        [*program(), PEAK, "run", "-", *QUICK],
        input=text.encode(),
        capture_output=True,
        timeout=100,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    told, is_told, peak = done.stderr.decode().rpartition("peak ")
    return (done.returncode, told, int(peak)) if is_told else (done.returncode, peak, 0)


@pytest.mark.parametrize("program", [*ENDLESS, *HUGE])
def test_it_ends_with_an_error(program: str) -> None:
    words, before = {**ENDLESS, **HUGE}[program], limits._most()
    with pytest.raises(Exception) as raised:
        run([Source(program, "x.py")], Machine(SMALL, lambda text: None))
    error = failure(raised.value)
    assert isinstance(error, EvaluationError)
    assert words in error.message
    assert error.span is not None
    assert error.help
    assert limits._most() - before < 2 * MEMORY


@pytest.mark.slow
@pytest.mark.parametrize("program", some(WHOLE, 4))
def test_a_process_ends_with_an_error(program: str) -> None:
    code, told, peak = gradcli_run(program)
    assert code == 3, told
    assert told.startswith("error[E"), told
    assert WHOLE[program] in told or " more than 2 s" in told  # as it may where the machine is slow
    assert " --> standard input:" in told
    assert " = help: " in told
    assert peak < 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP)
def test_depth_is_no_crash(name: str) -> None:
    code, told, peak = gradcli_run(DEEP[name])
    assert code in (0, 2, 3), told
    assert code == 0 or told.startswith("error[E"), told
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("x = 1 << 10**5\nraise ValueError(x)", "ValueError: <exception str() failed>"),
        ("e = ValueError()\ne.args = (e,)\nraise e", "ValueError: <exception str() failed>"),
        ("class E(Exception):\n    def __str__(self): return 1 / 0\nraise E()", "E: <exception str() failed>"),
        ("e = NameError('a')\ne.name = 5\nraise e", "NameError: a"),
        ("raise ValueError('a' * 10**6)", " ... (998,012 characters more)"),
        ("raise ValueError('\\x1b[31m')", "ValueError: \\x1b[31m"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise MemoryError('mine')", "MemoryError: mine"),
        ("import sys\nif True:\n    sys.exit('no data')", "SystemExit: no data"),
    ],
)
def test_messages_that_cannot_be_told(program: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    machine = Machine(Limits(), lambda text: None)
    with pytest.raises(Exception) as raised:
        run([Source(program, "x.py")], machine)
    print_error(failure(raised.value, []), "full")
    page = capsys.readouterr().err
    assert f"{told}\n --> x.py:" in page


def test_cycles_are_given_back_before_a_snippet_is_refused() -> None:
    program = (
        "import torch\ndef f():\n    x = torch.ones(1000, 1000)\n    def g(): return x\n    return g() is x\n"
        "for _ in range(30): f()\nprint('enough')\n"
    )
    assert ours(program, Limits(elements=10**6, memory=MEMORY)) == "enough\n"


def test_options_set_the_limits() -> None:
    text = "import torch\nx = torch.ones(100)\nfor _ in range(200):\n    x = x + 1\nprint(x[0])\n"
    assert ours(text) == "tensor(201.)\n"
    assert "more than 100 steps" in ours(text, Limits(steps=100))
    assert "100 elements, and 50 are the limit" in ours(text, Limits(elements=50))
    assert "runs for more than 0.05 s" in ours("while True: pass", Limits(seconds=0.05))


def test_the_timer_and_its_handler_are_given_back() -> None:
    handler = signal.getsignal(signal.SIGALRM)
    assert "runs for more than" in ours("while True: pass", Limits(seconds=0.05))
    assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
