"""Operations of torch that are not here are refused by name, with what to write instead."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.errors import EvaluationError
from gradcli.explanation.evaluate import evaluate
from gradcli.language.parser import parse_program
from gradcli.ops.support.absent import INSTEAD
from gradcli.ops.support.surface import OPERATIONS
from gradcli.script.originals import missing_error
from gradcli.source import Source


def test_what_is_absent_is_no_operation() -> None:
    assert not [name for name in INSTEAD if name in OPERATIONS]


@pytest.mark.parametrize("name", ["matrix_exp", "lu", "nansum", "scatter_reduce"])
def test_a_program_is_told_what_to_write_instead(name: str) -> None:
    with pytest.raises(EvaluationError) as failure:
        evaluate(parse_program(Source(f"{name}(x)")), {"x": [1.0]}, dtype=np.dtype(np.float64))
    assert failure.value.code == "E208"
    assert failure.value.help == f"{INSTEAD[name]}: {name} is not supported here"


@pytest.mark.parametrize("name", ["matrix_exp", "index_fill_"])
def test_a_snippet_is_told_it_too(name: str) -> None:
    assert missing_error("torch", name, ()).help == INSTEAD[name.removesuffix("_")]
