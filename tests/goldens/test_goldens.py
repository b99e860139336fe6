"""The engine against what torch recorded: values, gradients, and the graph node by node. Needs no torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.programs import EXAMPLES, family, listed_programs, of_every, run

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.json"))
RECORDS = {r["program"]: r for path in FILES for r in json.loads(path.read_text(encoding="utf-8"))["programs"]}
HOW_TO_RECORD = "record with torch installed: python -m tests.goldens.record"

# Where our node leaves out an edge of torch's: what has no derivative, or is not there, is no input of ours.
SHORTER = {
    "ClampBackward0(x, low, -)": "ClampBackward0(x, low)",
    "ClampBackward0(x, -, high)": "ClampBackward0(x, high)",
    "XlogyBackward2(x)": "XlogyBackward0(x, -)",
    "XlogyBackward1(y)": "XlogyBackward0(-, y)",
}


def numbers(recorded: Any) -> Any:
    """A recorded value as an array; infinities and nan are recorded as words."""
    return np.array(recorded, dtype=np.float64)


def close(found: Any, recorded: Any, what: str) -> None:
    expected = numbers(recorded)
    assert np.shape(found) == expected.shape, what
    finite = np.abs(expected)[np.isfinite(expected)]
    tiny = 1e-12 * float(np.max(finite, initial=1e-3))  # a zero that is a sum of large numbers is zero within that
    np.testing.assert_allclose(np.asarray(found, np.float64), expected, rtol=1e-12, atol=tiny, err_msg=what)


@of_every(RECORDS, family)
def test_torch_says_the_same(program: str) -> None:
    record, found = RECORDS[program], run(program)
    close(found.output.value, record["value"], "value")
    if record["graph"] is not None:
        assert found.graph == [SHORTER.get(line, line) for line in record["graph"]]
    assert list(found.leaves) == list(record["gradients"])
    if found.output.requires_grad:
        found.output.backward(found.upstream)
    for name, leaf in found.leaves.items():
        if record["gradients"][name] is None:
            assert leaf.grad is None, name
        else:
            assert leaf.grad is not None, name
            close(leaf.grad.value, record["gradients"][name], f"gradient of {name}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_record_says_which_torch_it_is_from(path: Path) -> None:
    stamp = json.loads(path.read_text(encoding="utf-8"))["torch"]
    assert int(stamp.partition(".")[0]) >= 2


def test_every_example_and_program_is_recorded() -> None:
    programs = {*EXAMPLES, *listed_programs()}
    assert programs - set(RECORDS) == set(), HOW_TO_RECORD
    assert set(RECORDS) - programs == set(), f"recorded and no longer there; {HOW_TO_RECORD}"
