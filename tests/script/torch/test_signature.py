"""A declared signature binds arguments as Python binds those of a function written with it."""

from __future__ import annotations

from typing import Any

import pytest

from gradcli.script.torch.signature import given_options


class Declared:
    _signature = "lr, betas=(0.9, -1.0), *, maximize=False"


class Derived(Declared):
    pass


class Written:
    def __init__(self, lr: Any, betas: Any = (0.9, -1.0), *, maximize: bool = False) -> None:
        self.values = {"lr": lr, "betas": betas, "maximize": maximize}


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [((), {}), ((1, 2, 3), {}), ((1, 2, 3), {"maximize": True}), ((1,), {"lr": 2}), ((1,), {"wrong": 2})],
)
def test_errors_are_pythons(arguments: Any, keywords: Any) -> None:
    with pytest.raises(TypeError) as theirs:
        Written(*arguments, **keywords)
    with pytest.raises(TypeError) as ours:
        given_options(Derived, arguments, keywords)
    assert str(ours.value) == str(theirs.value).replace("Written", "Declared")
