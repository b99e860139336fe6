"""The names of tensors are looked for at every statement, and looked at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tensor import Tensor
from gradcli.script.timeline.names import TensorNames


def test_a_tensor_is_looked_at_again_where_it_has_changed() -> None:
    names, env = TensorNames(), dict[str, Any]({"x": Tensor(np.array(1.0))})
    changes = [
        lambda: None,
        lambda: setattr(env["x"], "requires_grad", True),
        lambda: setattr(env["x"], "_grad", Tensor(np.array(2.0))),
        lambda: setattr(env["x"], "_grad", None),
        lambda: setattr(env["x"], "requires_grad", False),
        lambda: env.update(x=Tensor(np.array(3.0))),
        lambda: env.update(y=env["x"]),
    ]
    for change in changes:
        change()
        assert [name for _, name, _ in names.look(env)]
        assert not [*names.look(env)]
