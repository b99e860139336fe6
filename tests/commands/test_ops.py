"""The reference of operations by all that a reader may call them: operators, torch's names, nodes of a graph."""

from __future__ import annotations

import json
import re

import pytest

from gradcli.explanation.reference import NOTATIONS, find, nodes
from gradcli.language.builder import OPERATORS as SPELLINGS
from gradcli.language.catalogue import LINES, operation_of
from gradcli.ops.support.surface import OPERATIONS
from tests.commands.running import gradcli
from tests.programs import some

IN_SNIPPETS = {  # nodes of changes in place, of hooks and the like: no expression makes one
    "ToCopyBackward0", "ZeroBackward0", "BlankBackward0", "FillBackward2", "FillBackward3", "CopySlices",
    "AttainsBackward0", "TiesBackward0", "CumsumBackBackward0", "TraceBackwardBackward0", "DecayBackward0",
    "IndexAddBackward0", "ScatterAddBackward0", "UnsafeSplitBackward0", "AsStridedBackward0",
}  # fmt: skip


def shown(capsys: pytest.CaptureFixture[str], word: str) -> str:
    """The name of the operation that `gradcli ops WORD` tells about."""
    result = gradcli(capsys, ["ops", word, "--json"])
    assert result.code == 0, result.err + result.out
    (operation,) = json.loads(result.out)["operations"]
    return str(operation["name"])


OPERATORS = [symbol for line in LINES if (symbol := line.removeprefix("is ")) != line and not symbol.isidentifier()]


@pytest.mark.parametrize("operator", [*SPELLINGS, *OPERATORS, *NOTATIONS])
def test_every_operator_is_an_operation(capsys: pytest.CaptureFixture[str], operator: str) -> None:
    name = NOTATIONS.get(operator) or operation_of(SPELLINGS.get(operator, operator))
    assert shown(capsys, operator) == OPERATIONS[name].name
    assert shown(capsys, f" {operator} ") == OPERATIONS[name].name


@pytest.mark.slow
def test_every_node_leads_to_an_operation_or_comes_in_snippets_alone() -> None:
    lost = {node for node in nodes() if find(node) is None}
    assert lost <= IN_SNIPPETS
    for node in some(sorted(nodes() - lost), 16):
        assert find(f"<{node} object at 0x7f0a>") == find(node)


@pytest.mark.parametrize("form", ["F", " F ", "torch.F", "torch.nn.functional.F", "F(x)", "x.F()", ".F", "F()"])
@pytest.mark.parametrize("name", ["relu", "softmax", "matmul", "log1p"])
def test_names_as_code_has_them(capsys: pytest.CaptureFixture[str], name: str, form: str) -> None:
    assert shown(capsys, form.replace("F", name)) == name


NOTHING = [
    "foo",
    "zzzzzz",
    "@@",
    "",
    " ",
    "Backward",
    "ReluBackward7",
    "AccumulateGrad",
    "relu softmax",
    "(",
    "-v",
    "x" * 9000,
]


@pytest.mark.slow
@pytest.mark.parametrize("word", [*NOTHING, *sorted(IN_SNIPPETS)[:2]], ids=lambda word: word[:12])
def test_no_operation(capsys: pytest.CaptureFixture[str], word: str) -> None:
    result = gradcli(capsys, ["ops", word])
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error[E008]: there is no operation")
    assert len(result.err.partition("= help: ")[2]) < 200


@pytest.mark.parametrize(
    ("word", "meant"), [("sofmax", "softmax"), ("relU", "relu"), ("ReluBackwrd0", "ReluBackward0")]
)
def test_the_nearest_are_named(capsys: pytest.CaptureFixture[str], word: str, meant: str) -> None:
    (names,) = re.findall(r"did you mean (.*)\? gradcli ops lists all", gradcli(capsys, ["ops", word]).err)
    assert meant in names.split(" or ")
    assert len(names.split(" or ")) <= 4
