"""What holds for every operation and every primitive, whoever adds one: read off the registries."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import gradcli.ops.indexing.subscript  # noqa: F401 - its primitives are in the registry
from gradcli.engine.primitive import REGISTRY
from gradcli.engine.tensor import is_floating
from gradcli.errors import EvaluationError, ProgramSyntaxError
from gradcli.explanation.values import value_of
from gradcli.language.parser import parse_program
from gradcli.language.tree import Expression, names
from gradcli.source import Source
from tests.programs import EXAMPLES, every_operation, family, listed_programs, of_every, run
from tests.tapes import tape_of

NAMES = list(every_operation())
# the engine's own, where single and double precision meet, and where memory is written to
NOT_IN_PROGRAMS = {
    "to_copy",
    "unsafe_split_part",  # of a program a split cannot be changed in place
    *("blank", "zero_over", "fill_over", "fill_tensor_over", "copy_over", "overwrite", "regenerated", "index_put"),
}


def family_of(name: str) -> str:
    return every_operation()[name].family


@of_every(NAMES, family_of)
def test_an_operation_says_what_it_is(name: str) -> None:
    operation = every_operation()[name]
    assert operation.summary.endswith((".", "`")), "the docstring's first line is a sentence"
    assert operation.examples
    written = ast.parse(f"def {operation.signature}: ...").body[0]
    assert isinstance(written, ast.FunctionDef)
    assert written.name == name
    star = [written.args.vararg] if written.args.vararg else []
    assert {argument.arg for argument in written.args.args + written.args.kwonlyargs + star} == set(
        operation.parameters
    )


@of_every(NAMES, family_of)
def test_what_is_not_structured_works_entry_by_entry(name: str) -> None:
    for application in (one for example in every_operation()[name].examples for one in tape_of(example)):
        if not application.primitive.structured:
            shapes = [np.shape(getattr(x, "value", x)) for x in application.inputs]
            assert application.out.shape == np.broadcast_shapes(*shapes), application.primitive


@of_every(NAMES, family_of)
def test_an_example_shows_the_operation(name: str) -> None:
    operation = every_operation()[name]
    for example in operation.examples:
        written = [f"{known}(" in example or f".{known}" in example for known in (name, *operation.aliases)]
        assert any(written) or any(symbol in example for symbol in "+-*/%@<>=[."), example


@of_every(product(NAMES, ["nothing", "too much", "a strange keyword"]), lambda case: case[1])
def test_a_wrong_call_is_refused_with_the_signature(case: tuple[str, str]) -> None:
    name, wrong = case
    operation = every_operation()[name]
    parameters = list(operation.parameters.values())
    open_ended = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
    if wrong == "nothing":
        arguments: list[Any] = []
    elif wrong == "too much":
        arguments = [object() if open_ended else 1] * (len(parameters) + 1)
    else:
        arguments = [1]
    keywords = {"strange": 1} if wrong == "a strange keyword" else {}
    if wrong == "nothing" and all(p.default is not p.empty or p.kind is p.VAR_POSITIONAL for p in parameters):
        arguments = [object()]
    with pytest.raises(EvaluationError) as caught:
        operation(*arguments, **keywords)
    assert operation.signature in caught.value.help


@cache
def primitives_of(example: str) -> frozenset[str]:
    """The primitives that a program, its backward pass and the backward pass of that use."""
    return frozenset(application.primitive.name for application in tape_of(example))


@pytest.mark.slow
def test_every_primitive_is_used_by_an_example() -> None:
    used = {name for example in (*EXAMPLES, *listed_programs()) for name in primitives_of(example)}
    assert set(REGISTRY) - used == NOT_IN_PROGRAMS, "write an example that needs these"


@of_every(REGISTRY, lambda _: "all")
def test_a_primitive_is_declared_soundly(name: str) -> None:
    primitive = REGISTRY[name]
    assert "Backward" in primitive.node or primitive.node == "CopySlices"
    assert not (primitive.kinks and not primitive.convention), "a kink needs a convention that is told"
    if primitive.variadic:
        assert len(primitive.rules) == 1


@pytest.mark.slow
@of_every(EXAMPLES, family)
def test_single_precision_stays_single(example: str) -> None:
    single, double = run(example, dtype=np.float32), run(example)
    assert single.output.dtype == (np.float32 if is_floating(double.output.value) else double.output.dtype)
    np.testing.assert_allclose(single.output.value, double.output.value, rtol=1e-4, atol=1e-5)
    if not double.output.requires_grad:
        return
    single.output.backward(single.upstream)
    double.output.backward(double.upstream)
    for name, leaf in single.leaves.items():
        expected = double.leaves[name].grad
        assert (leaf.grad is None) == (expected is None)
        if leaf.grad is not None and expected is not None:
            assert leaf.grad.dtype == np.float32
            np.testing.assert_allclose(leaf.grad.value, expected.value, rtol=1e-3, atol=1e-4)


DIFFERENTIABLE = [name for name, primitive in REGISTRY.items() if any(primitive.rules)]
JARGON = re.compile(r"\b(vjp|jvp|adjoint|jacobian|cotangent|upstream|contraction|broadcast|w\.r\.t\.)\b", re.IGNORECASE)


@of_every(DIFFERENTIABLE, lambda name: "primitive")
def test_a_rule_is_said_in_a_sentence(name: str) -> None:
    says = REGISTRY[name].says
    assert says[:1].isupper()
    assert says.endswith(".")
    assert len(says) < 110
    assert not JARGON.search(says)
    assert says.count("(") == says.count(")")


def test_what_has_no_rule_says_nothing() -> None:
    assert not [name for name, primitive in REGISTRY.items() if primitive.says and not any(primitive.rules)]


def said_slope(says: str) -> Expression | None:
    """The derivative that a sentence gives as a formula of x."""
    for part in re.split(r" is |, |: ", says.rstrip("."))[1:]:
        try:
            tree = parse_program(Source(part, "sentence")).statements[0].value
        except ProgramSyntaxError:
            continue
        if "x" in names(tree) <= {"x", "pi"}:
            return tree
    return None


SLOPES = {name: tree for name in DIFFERENTIABLE if (tree := said_slope(REGISTRY[name].says)) is not None}


def test_formulas_in_sentences_are_read() -> None:
    assert {"log", "log2", "asin", "erf"} <= set(SLOPES)


@of_every(SLOPES, lambda name: "primitive")
def test_a_formula_in_a_sentence_is_the_rule(name: str) -> None:
    primitive = REGISTRY[name]
    domain = primitive.domain_for({})
    low, high = domain.low, domain.high
    rule = primitive.rules[0]
    assert rule is not None
    for share in (0.2, 0.6, 0.9):
        x = np.float64(max(low, -2.0) + share * (min(high, max(low, -2.0) + 3) - max(low, -2.0)))
        slope = rule(np.float64(1), primitive(x), x)
        np.testing.assert_allclose(value_of(SLOPES[name], {"x": x}), slope, rtol=1e-12, err_msg=primitive.says)
