from __future__ import annotations

import pytest

from tests.script.agreement import agree, programs
from tests.script.running import ours, torchs

CLASS = """
class T:
    def __init__(self):
        self.items = [1]
        self.me = self
"""
TENSORS = [
    "x = torch.ones(2, requires_grad=True)\ntry: copy.deepcopy(x * 2)\nexcept RuntimeError as error: print(error)",
    "x = torch.ones(2); y = copy.copy(x); y[0] = 5; print(x, y is x)",
    "m = nn.Sequential(nn.Linear(2, 2), nn.ReLU()); n = copy.deepcopy(m); print(n[0] is m[0], "
    "len(list(n.parameters())))",
    "s = copy.deepcopy(nn.Linear(1, 1).state_dict()); print(list(s), type(s).__name__)",
]


@programs(
    "a = [[1], {'k': [2]}, (3, [4])]; b = copy.deepcopy(a); b[0].append(9); b[2][1].append(5); print(a, b)",
    "a = [[1], 2]; b = copy.copy(a); print(b[0] is a[0], b is a, copy.copy({1: 2}), copy.copy((1, 2)), "
    "copy.deepcopy(5))",
    "t = T(); u = copy.deepcopy(t); u.items.append(2); print(t.items, u.items, u.me is u, "
    "copy.copy(t).items is t.items)",
    "a = []; a.append(a); b = copy.deepcopy(a); print(b[0] is b, b is a)",
    "t = (1, (2, 3)); print(copy.deepcopy(t) is t, copy.deepcopy({1, 2}), copy.deepcopy(frozenset([1])))",
    "import collections as c\nd = c.defaultdict(list, {1: [2]})\n"
    "e = copy.deepcopy(d); e[5].append(1); e[1].append(3); print(d, e, copy.deepcopy(c.deque([1, [2]], maxlen=3)))",
    "f = lambda: 1\nprint(copy.deepcopy(f) is f, copy.deepcopy([f])[0] is f, copy.deepcopy(T) is T)",
    "t = T(); u = copy.deepcopy([t, t]); print(u[0] is u[1], u[0] is t)",
)
def test_copies_are_pythons(program: str) -> None:
    agree(f"import copy{CLASS}{program}")


@pytest.mark.slow
@pytest.mark.parametrize("program", TENSORS)
def test_tensors_are_copied_as_in_torch(program: str) -> None:
    text = f"import torch, copy\nimport torch.nn as nn\ntorch.manual_seed(0)\n{program}"
    assert ours(text) == torchs(text)


@pytest.mark.slow
def test_deep_nesting_ends() -> None:
    assert "RecursionError" in ours("import copy\nx = []\nfor _ in range(10**5): x = [x]\ncopy.deepcopy(x)")
