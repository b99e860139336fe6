"""Which of equal entries torch chooses: a property of its algorithms, which are not stable."""

from __future__ import annotations

import random

import numpy as np
import pytest

from gradcli.ops.reducing import sorting

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9, 17, 40, 200])
def test_equal_entries_are_chosen_as_torch_chooses_them(size: int) -> None:
    draws = random.Random(size)
    for kinds in (1, 2, 3, size):
        x = np.array([[[float(draws.randrange(kinds))] for _ in range(size)] for _ in range(3)])
        there, k = torch.tensor(x), draws.randint(1, size)
        for largest in (True, False):
            for ordered in (True, False):
                places = sorting._top(x, k=k, dim=1, largest=largest, sorted=ordered)
                assert places.tolist() == torch.topk(there, k, 1, largest, ordered).indices.tolist()
        for place in (k, size, 1):
            assert sorting._kth(x, k=place, dim=1).tolist() == torch.kthvalue(there, place, 1).indices.tolist()
        assert sorting._most_frequent(x, dim=1).tolist() == torch.mode(there, 1).indices.tolist()
        assert sorting._middle(x, dim=1).tolist() == torch.median(there, 1).indices.tolist()
