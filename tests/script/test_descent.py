from __future__ import annotations

import pytest

from gradcli.errors import UsageError
from gradcli.script.descent import OPTIMIZERS, descend


def bowl(point: list[float]) -> tuple[float, list[float]]:
    x, y = point
    return x * x + 3 * y * y, [2 * x, 6 * y]


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_an_optimizer_of_the_snippets_goes_torchs_way(name: str) -> None:
    torch = pytest.importorskip("torch")
    own = descend(bowl, [1.5, -2.0], 12, name, {"lr": 0.05})
    x = torch.tensor([1.5, -2.0], dtype=torch.float64, requires_grad=True)
    kind, options = (torch.optim.Adam, {}) if name == "adam" else (torch.optim.SGD, OPTIMIZERS[name])
    optimizer = kind([x], lr=0.05, **options)
    points = [x.tolist()]
    for _ in range(12):
        optimizer.zero_grad()
        (x[0] ** 2 + 3 * x[1] ** 2).backward()
        optimizer.step()
        points.append(x.tolist())
    assert list(own.points[0]) == points[0]
    assert [x for point in own.points for x in point] == pytest.approx(
        [x for point in points for x in point], rel=1e-12
    )


def test_a_path_ends_where_there_is_no_number() -> None:
    found = descend(lambda point: (point[0] * point[0], [-point[0] * 1e200]), [10.0], 100, "sgd", {"lr": 1.0})
    assert found.stopped
    assert len(found.points) < 100


def test_options_that_the_optimizer_has_not() -> None:
    with pytest.raises(UsageError, match="momentun"):
        descend(bowl, [1.0, 1.0], 3, "sgd", {"momentun": 0.5})
