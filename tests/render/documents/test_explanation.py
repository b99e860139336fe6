from __future__ import annotations

import dataclasses
import json
from typing import Any
from unicodedata import bidirectional, category

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gradcli.errors import AutogradError, GradcliError, UsageError
from gradcli.explanation.build import gradients
from gradcli.explanation.model import NOTES, Explanation
from gradcli.language.parser import parse_program
from gradcli.language.tree import Expression
from gradcli.language.unparser import unparse
from gradcli.render.documents.explanation import (
    Document,
    explanation_document,
    formulas_document,
    gradients_document,
    graph_document,
)
from gradcli.render.documents.reasons import reason_document
from gradcli.render.documents.schemas import names, schema
from gradcli.render.text.error import error_document
from gradcli.script.timeline import model as timeline
from gradcli.source import Source, Span
from gradcli.stream.values import dump, plain
from tests.render.documents.reader import read_explanation
from tests.render.programs import CASES, Case

EVERY = pytest.mark.parametrize("case", [pytest.param(case, id=name) for name, case in CASES.items()])


def validate(document: Document, name: str) -> None:
    Draft202012Validator(json.loads(schema(name))).validate(document)


def same(a: Any, b: Any) -> bool:
    """Equal facts: arrays to the bit and the dtype (any nan for any nan), formulas by their text."""
    if isinstance(a, Expression):
        return isinstance(b, Expression) and unparse(a) == unparse(b)
    if isinstance(a, Source):
        return isinstance(b, Source) and a.text == b.text
    if dataclasses.is_dataclass(a):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(a))
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray | np.generic):
        alike = type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape
        if not alike or a.dtype.kind != "f":
            return alike and np.array_equal(a, b)
        return np.array_equal(a, b, equal_nan=True) and bool(np.all(np.isnan(a) | (np.signbit(a) == np.signbit(b))))
    return type(a) is type(b) and a == b


@pytest.mark.slow
@EVERY
def test_explanation_is_valid_and_reads_back(case: Case) -> None:
    explanation = case.explain(dtype=("float64", "float32")[len(case.program) % 2])
    document = json.loads(dump(explanation_document(explanation)))
    validate(document, "explanation")
    reasons = [local.pop("why") for node in document["nodes"] for local in node["locals"]]
    assert reasons == [
        None if local.why is None else reason_document(local.why) for node in explanation.nodes for local in node.locals
    ]
    again = read_explanation(document)
    assert same(unreasoned(explanation), again)
    written = explanation_document(again)["nodes"]
    assert list(map(without_reasons, written)) == list(map(without_reasons, document["nodes"]))


def unreasoned(explanation: Explanation) -> Explanation:
    """The explanation node by node, without index formulas, whose numbers a document rounds and cuts."""
    alone = {"inserted": False, "part_of": None, "whole": None}
    nodes = tuple(
        dataclasses.replace(node, locals=tuple(dataclasses.replace(x, reason=None) for x in node.locals), **alone)
        for node in explanation.nodes
    )
    return dataclasses.replace(explanation, nodes=nodes)


def without_reasons(node: Any) -> Any:
    alone = {"inserted": False, "part_of": None, "whole": None}
    return {**node, **alone, "locals": [{k: v for k, v in local.items() if k != "why"} for local in node["locals"]]}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (np.float64(0.1), "0.1"),
        (np.float32(0.1), "0.1"),
        (np.float64(2), "2.0"),
        (np.int64(2), "2"),
        (np.bool_(True), "true"),
        (np.float64("nan"), '"NaN"'),
        (np.float32("-inf"), '"-Infinity"'),
        (np.array([[1, np.inf], [np.nan, -0.0]]), '[[1.0, "Infinity"], ["NaN", -0.0]]'),
        (np.array([0.1, 1 / 3], np.float32), "[0.1, 0.33333334]"),
        (np.array([True]), "[true]"),
        (np.zeros((2, 0)), "[[], []]"),
        (None, "null"),
        (3, "3"),
        (float("inf"), '"Infinity"'),
        (((1.0, float("inf")), (np.float64("nan"),)), '[[1.0, "Infinity"], ["NaN"]]'),
    ],
)
def test_numbers(value: Any, written: str) -> None:
    assert json.dumps(plain(value), allow_nan=False) == written


@EVERY
def test_formulas(case: Case) -> None:
    explanation = case.explain()
    document = formulas_document(explanation)
    validate(document, "formulas")
    assert document["formulas"] == explanation_document(explanation)["formulas"]


@EVERY
def test_gradients(case: Case) -> None:
    """The gradients alone are those of the whole lesson."""
    document = gradients_document(gradients(parse_program(Source(case.program)), case.values, **case.options))
    validate(document, "gradients")
    lesson = explanation_document(case.explain())
    assert document["gradients"] == lesson["gradients"]
    assert document["value"] == lesson["value"]


@EVERY
def test_graph_is_valid(case: Case) -> None:
    explanation = case.explain()
    document = graph_document(explanation, "dot", "digraph {}")
    validate(document, "graph")
    inputs = [(source, node.id) for node in explanation.nodes for source in node.inputs]
    assert [(edge["source"], edge["target"]) for edge in document["edges"]] == inputs


@pytest.mark.parametrize(("name", "kind", "notes"), [("explanation", "note", NOTES), ("run", "remark", timeline.NOTES)])
def test_notes_of_a_schema_are_those_of_its_model(name: str, kind: str, notes: dict[str, str]) -> None:
    codes = json.loads(schema(name))["$defs"][kind]["properties"]["code"]["enum"]
    assert sorted(codes) == sorted(notes)


def test_error_with_a_place() -> None:
    with pytest.raises(GradcliError) as caught:
        parse_program(Source("a = 1\nz=(x1+a*x2"))
    document = error_document(caught.value.facts())
    validate(document, "error")
    assert document["error"] == {
        "code": "E101",
        "message": "unclosed '('",
        "line": 2,
        "column": 3,
        "start": 8,
        "end": 9,
        "help": "add ')' at the end",
    }


@pytest.mark.parametrize(
    "error",
    [
        UsageError("E007", "q is not a variable of the program"),
        AutogradError('"quoted"\x1b[31m'),
        UsageError("E007", "where?", span=Span(3, 4)),
    ],
)
def test_error_without_a_place(error: GradcliError) -> None:
    document = error_document(error.facts())
    validate(document, "error")
    assert document["ok"] is False
    assert document["error"]["line"] is None
    assert document["error"]["help"] is None
    assert "\x1b" not in dump(document)


@given(st.text(st.characters(codec=None, categories=None)))
def test_dump_is_strict_and_encodable(text: str) -> None:
    for ascii in (False, True):
        written = dump({"program": text}, ascii=ascii)
        written.encode("ascii" if ascii else "utf-8")
        assert json.loads(written) == {"program": text}


def test_dump_escapes_what_acts_on_a_terminal() -> None:
    assert dump({"θ": "é \x9b31m\u202e\u2028\udc80\x1b"}) == r'{"θ": "é \u009b31m\u202e\u2028\udc80\u001b"}'
    assert dump({"θ": 1}, ascii=True) == r'{"\u03b8": 1}'
    for character in map(chr, range(2**16)):
        hidden = category(character) == "Cf" and bidirectional(character) != "AN"  # Arabic signs of numbers are seen
        if hidden or category(character) in ("Cc", "Cs", "Zl", "Zp"):
            written = dump(character)
            assert written.isascii()
            assert written.isprintable()
            assert json.loads(written) == character


def test_every_schema_is_valid_and_strict() -> None:
    assert names() == [
        "batch",
        "check",
        "comparison",
        "derivatives",
        "error",
        "explanation",
        "findings",
        "formulas",
        "gradients",
        "graph",
        "key",
        "lint",
        "manifest",
        "operations",
        "plot",
        "practice",
        "run",
        "trace",
        "variants",
        "verification",
    ]
    for name in names():
        found = json.loads(schema(name))
        Draft202012Validator.check_schema(found)
        if name == "batch":  # a line of a stream and no document: which fields it has depends on the options
            continue
        assert found["properties"]["schema"]["const"] == f"gradcli.{name}/1"
        for part in objects(found):
            assert part["additionalProperties"] is not True
            if "properties" in part:
                assert part["additionalProperties"] is False
                assert part["required"] == list(part["properties"])
                assert all(facts.get("description") for facts in part["properties"].values()), part


def objects(part: Any) -> list[Any]:
    """The sub-schemas that describe objects."""
    if isinstance(part, list):
        return [found for item in part for found in objects(item)]
    if not isinstance(part, dict):
        return []
    below = [found for item in part.values() for found in objects(item)]
    return [part, *below] if part.get("type") == "object" else below
