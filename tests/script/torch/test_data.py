"""`torch.utils.data`: datasets, samplers and loaders give the batches of torch, in its order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.script.limits import Limits
from tests.script.agreement import REFUSED_BY_KIND, agree
from tests.script.running import ours, torchs

START = f"""import torch
import torch.utils.data as D
from torch.utils.data import DataLoader, Dataset, Subset, TensorDataset, random_split
{REFUSED_BY_KIND}
torch.manual_seed(0)
X = torch.arange(20.0).reshape(10, 2)
Y = torch.arange(10)
ds = TensorDataset(X, Y)
class Squares(Dataset):
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, i):
        return i, float(i) ** 2
"""
SNIPPETS = [
    "print(len(ds), ds[3], ds[-1], ds[2:4]); refused(lambda: TensorDataset(X, Y[:3])); refused(lambda: Dataset()[0])",
    "for b in DataLoader(Squares(5), batch_size=2): print(b)",
    "rows = [{'x': torch.ones(2) * i, 'name': f'n{i}', 'y': (i, [i, 2.0])} for i in range(3)]\n"
    "for b in DataLoader(rows, batch_size=2): print(b)",
    "for b in DataLoader([1, 2, 3], batch_size=2): print(b)\nfor b in DataLoader([1.5, 2.5]): print(b)\n"
    "for b in DataLoader(X, batch_size=5): print(b)\nfor b in DataLoader([True, False], batch_size=2): print(b)",
    "a, b = random_split(ds, [7, 3], generator=torch.Generator().manual_seed(0)); print(a.indices, "
    "b.indices, a[0], len(b))\n"
    "for x, y in DataLoader(a, batch_size=3): print(y)",
    "print([len(s) for s in random_split(ds, [0.5, 0.3, 0.2])], [list(s) for s in random_split(range(10), [3, 7])])",
    "refused(lambda: random_split(ds, [1, 2])); refused(lambda: random_split(ds, [1.5, -0.5]))",
    "for b in DataLoader(ds, batch_size=3, collate_fn=lambda rows: len(rows)): print(b)",
    "for b in DataLoader(ds, batch_size=8, sampler=D.WeightedRandomSampler([1.0] * 5 + [3.0] * 5, 16)): print(b[1])",
    "refused(lambda: DataLoader(ds, batch_size=0)); refused(lambda: DataLoader([], shuffle=True)); "
    "print(len(DataLoader([])))",
    "refused(lambda: DataLoader(ds, shuffle=True, sampler=D.WeightedRandomSampler([1.0], 3)))",
    "refused(lambda: list(DataLoader([None]))); refused(lambda: list(DataLoader([[1], [1, 2]], batch_size=2)))",
    "refused(lambda: list(DataLoader([torch.ones(1), torch.ones(2)], batch_size=2)))",
    "refused(lambda: D.WeightedRandomSampler([1.0], 0))",
]  # fmt: skip


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_data_come_as_in_torch(snippet: str) -> None:
    agree(START + snippet)


@given(st.integers(-(2**63), 2**64 - 1), st.integers(1, 30), st.booleans())
def test_items_come_in_the_order_of_torch(seed: int, n: int, given: bool) -> None:
    generator = f"torch.Generator().manual_seed({seed})" if given else "None"
    snippet = f"""
torch.manual_seed({seed})
g = {generator}
for e in range(2): print([b.tolist() for b in DataLoader(range({n}), batch_size=2, shuffle=True, generator=g)])
for b in DataLoader(range({n}), batch_size=2, generator=g): print(b)
print(torch.rand(1), torch.rand(1, generator=g))
"""
    assert ours(START + snippet) == torchs(START + snippet)


def test_workers_that_draw_are_refused() -> None:
    draws = (
        "class Draws(Dataset):\n    def __len__(self): return 2\n    def __getitem__(self, i): return torch.rand(1)\n"
    )
    refused = "num_workers=2 for a dataset that draws random numbers is not supported here"
    assert refused in ours(START + draws + "print(list(DataLoader(Draws(), num_workers=2)))")


@pytest.mark.parametrize(
    "snippet",
    [
        "next(iter(DataLoader(range(10**12), batch_size=10**11)))",
        "next(iter(DataLoader(range(10**12), shuffle=True)))",
        "random_split(range(10**12), [10**12])",
        "D.WeightedRandomSampler([1.0], 10**12)",
    ],
)
def test_sizes_stay_within_the_limits(snippet: str) -> None:
    printed = ours(START + snippet, Limits(steps=200_000))
    assert "are the limit" in printed or "more than 200,000 steps" in printed
