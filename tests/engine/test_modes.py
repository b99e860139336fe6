"""The settings of the engine: switched for a block, and fresh for a run."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.engine.modes import Mode, mode, renewed, switched

SINGLE = np.dtype(np.float32)


def settings() -> dict[str, object]:
    return {name: getattr(mode, name) for name in Mode.__slots__}


def test_a_run_begins_with_the_defaults_and_leaves_nothing() -> None:
    with switched(inference=True, grad_enabled=False, largest=5, tape=[], default_dtype=SINGLE):
        outside = settings()
        with renewed(handles=3):
            assert settings() == {name: getattr(Mode(), name) for name in Mode.__slots__} | {"handles": 3}
            mode.inference, mode.default_dtype = True, SINGLE
        assert settings() == outside


def test_an_error_restores_the_settings() -> None:
    before = settings()
    with pytest.raises(ZeroDivisionError), switched(largest=3):
        raise ZeroDivisionError
    assert settings() == before
