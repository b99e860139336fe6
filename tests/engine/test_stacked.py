"""Many points at once give what each gives alone, to the last bit, and fail where one of them does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.engine.primitive import REGISTRY
from gradcli.engine.stacked import Stack
from gradcli.errors import GradcliError
from gradcli.explanation.evaluate import evaluate
from gradcli.explanation.values import Variables, constant
from gradcli.language.parser import parse_program
from gradcli.source import Source
from gradcli.stream.arrow.computation import Computation, Computed, Inputs
from gradcli.stream.plan import Plan, Task
from tests.programs import EXAMPLES, initial, listed_programs, of_every

DTYPES = ("float64", "float32")
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-300, 5e-324, 1e300, 88.5, -709.5, np.inf, -np.inf, np.nan]
SIZES = {"n": 3, "m": 5}

# Programs of a number, vectors and matrices, by the kind of the result: "" is a number, "n" a vector, "nm" a matrix.
KINDS = ("", "n", "m", "nm", "mn", "nn")
VARIABLES = {"": "c", "n": "x", "m": "y", "nm": "A", "mn": "B", "nn": "D"}
ANY = ("sigmoid({0})", "tanh({0})", "exp({0})", "log({0})", "({0})**2", "abs({0})", "sin({0})*2", "sqrt({0})", "-({0})")
ANY += ("relu({0})", "{0}*c", "({0})/3", "detach({0})*{0}", "clamp({0}, -1, 1)", "zeros_like({0}) + {0}", "erf({0})")
PAIRS = ("({0}) + ({1})", "({0}) - ({1})", "({0})*({1})", "({0})/({1})", "where({0} < {1}, {0}, {1})", "({0})**({1})")
PAIRS += ("maximum({0}, {1})", "atan2({0}, {1})", "stack([{0}, {1}])[1]", "stack([{0}, {1}], -1).sum(-1)")
TO_NUMBER = ("sum({0})", "mean({0})", "norm({0})", "amax({0})", "max({0})", "prod({0})", "std({0})", "norm({0}, 1)")
TO_NUMBER += (
    "({0}).flatten()[1]",
    "logsumexp(({0}).flatten(), 0)",
    "min({0})",
    "var({0}, correction=0)",
    "norm({0}, 3)",
)
SAME = ("softmax({0}, -1)", "cumsum({0}, 0)", "flip({0}, (0,))", "log_softmax({0}, dim=0)", "cumprod({0}, -1)")
SAME += ("sort({0}).values", "{0} - mean({0}, -1, keepdim=True)", "layer_norm({0}, ({0}).shape[-1:])")
PRODUCT = ("({0}) @ ({1})",)
REDUCED = ("sum({0}, {d})", "mean({0}, dim={d})", "amax({0}, {d})", "logsumexp({0}, {d})", "prod({0}, {d})", "{0}[{i}]")
REDUCED += ("max({0}, {d}).values", "norm({0}, 2, {d})", "std({0}, {d})", "median({0}, {d}).values", "var({0}, {d})")


Form = tuple[str, tuple[str, ...]]  # an operation, and the kinds of its operands


@cache
def forms_of(kind: str) -> list[Form]:
    """The operations whose result is of a kind."""

    def all_of(forms: Sequence[str], *kinds: str) -> list[Form]:
        return [(form, kinds) for form in forms] if set(kinds) <= {*KINDS} else []

    found = all_of(ANY, kind) + all_of(PAIRS, kind, kind) + all_of(PAIRS, kind, "")
    if not kind:
        found += [form for each in KINDS[1:] for form in all_of(TO_NUMBER, each)]
        found += all_of(("({0}) @ ({1})", "dot({0}, {1})", "mse_loss({0}, {1})", "huber_loss({0}, {1})"), *"nn")
        found += all_of(("binary_cross_entropy_with_logits({0}, {1})", "smooth_l1_loss({0}, {1})"), "nm", "nm")
    else:
        found += all_of(SAME, kind)
    if len(kind) == 1:
        for other in "nm":
            found += all_of(PRODUCT, kind + other, other) + all_of(PRODUCT, other, other + kind)
            found += all_of([form.replace("{d}", "0").replace("{i}", "1") for form in REDUCED], other + kind)
            found += all_of([form.replace("{d}", "1").replace("{i}", ":, 1") for form in REDUCED], kind + other)
    if len(kind) == 2:
        sizes = ", ".join(str(SIZES[size]) for size in kind)
        found += all_of(("({0}).T", "t({0}).exp()", "transpose({0}, 0, 1)", f"reshape({{0}}, ({sizes}))"), kind[::-1])
        found += all_of(PAIRS, kind, kind[1]) + all_of(("outer({0}, {1})",), *kind)
        found += [form for each in "nm" for form in all_of(PRODUCT, kind[0] + each, each + kind[1])]
    if kind == "nn":
        found += all_of(("tril({0})", "inverse(({0}) + 9*eye(3))", "eye(3)*trace({0})", "({0}).diagonal()*({0})"), "nn")
    return found


@st.composite
def programs(draw: Any, kind: str, depth: int = 3) -> str:
    """Programs of one kind, of operations up to a depth."""
    if not depth:
        return VARIABLES[kind]
    form, kinds = draw(st.sampled_from(forms_of(kind)))
    return str(form.format(*(draw(programs(each, depth - 1)) for each in kinds)))


def columns(count: int, seed: int, *, edges: bool) -> dict[str, Any]:
    """A column for each variable."""
    random = np.random.default_rng(seed)
    found = {}
    for kind, name in VARIABLES.items():
        values = random.uniform(-2, 2, (count, *(SIZES[size] for size in kind)))
        if edges:
            values = np.where(random.uniform(size=values.shape) < 0.2, random.choice(EDGES, values.shape), values)
        found[name] = values
    return found


def bits(value: Any) -> Any:
    """All of a column that is ever written; the sign of nan is not."""
    return None if value is None else np.where(np.isnan(value), np.nan, value).tobytes()


def assert_same(found: Computed, alone: Computed) -> None:
    assert {row: str(error) for row, error in found.errors.items()} == {r: str(e) for r, e in alone.errors.items()}
    assert found.value.dtype == alone.value.dtype
    assert bits(found.value) == bits(alone.value)
    assert list(found.gradients) == list(alone.gradients)
    for name, gradient in alone.gradients.items():
        assert bits(found.gradients[name]) == bits(gradient), name


def inputs_for(computation: Computation, values: dict[str, Any], count: int, missing: Any = None) -> Inputs:
    names = computation.plan.names
    masks = {} if missing is None or not names else {names[0]: missing}
    return Inputs(count, {name: values[name] for name in names}, masks)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.sampled_from(KINDS).flatmap(lambda kind: st.tuples(st.just(kind), programs(kind))),
    st.integers(1, 70),
    st.integers(0, 99),
    st.booleans(),
    st.sampled_from(DTYPES),
)
def test_a_block_is_its_rows(program: tuple[str, str], count: int, seed: int, edges: bool, dtype: str) -> None:
    kind, text = program
    upstream = np.random.default_rng(seed).uniform(-2, 2, [SIZES[size] for size in kind]).tolist()
    computation = Computation(Task(text, dtype=dtype, upstream=upstream))
    values = columns(count, seed, edges=edges)
    missing = np.arange(count) % 5 == 3
    inputs = inputs_for(computation, values, count, missing if missing.any() else None)
    try:
        forms = computation.forms(inputs.forms)
    except GradcliError:
        return
    assert_same(computation.compute(inputs, forms), computation.one_by_one(inputs, forms))


# Every operation, at the values of its examples and at others.


def stack_of(program: str) -> tuple[Plan, Stack, dict[str, Any]] | None:
    """The stack of a program whose variables have values, if it has one, and these values."""
    parsed = parse_program(Source(program))
    literals = Variables.of(parsed).literals
    values = {name: np.asarray(constant(s.value, parsed.source), float) for name, s in literals.items()}
    output = evaluate(parsed, values, dtype=np.dtype(np.float64)).output
    assert output is not None
    upstream = None if output.value.size == 1 else np.linspace(-1, 2, output.value.size).reshape(output.shape).tolist()
    plan = Plan(Task(program, upstream=upstream), is_columnar=False)
    stack = plan.stack(values)
    return None if stack is None else (plan, stack, values)


@of_every([program for program in EXAMPLES + listed_programs() if "=" in program], initial)
def test_each_operation_over_a_block(program: str) -> None:
    """Where the shapes, and nothing else, say what is computed."""
    found = stack_of(program)
    if found is None:
        return
    plan, stack, values = found
    random = np.random.default_rng(3)
    count = 6
    rows = {name: np.stack([x * random.uniform(0.7, 1.3, x.shape) for _ in range(count)]) for name, x in values.items()}
    together = failed = None
    try:
        together = plan.over_stack(stack, rows, count)
    except Exception as error:
        failed = error
    errors = []
    for row in range(count):
        try:
            alone = plan.at({name: x[row] for name, x in rows.items()})
        except GradcliError as error:
            errors.append(error)
            continue
        if together is None:
            continue
        assert bits(alone.value) == bits(together.value[row])
        for name, gradient in alone.gradients.items():
            ours = together.gradients[name]
            assert bits(gradient) == bits(None if ours is None else ours[row])
    assert (failed is None) == (not errors)


# What must not be taken for a stack: what is computed depends on the numbers.


@pytest.mark.parametrize(
    "program",
    [
        "sum(nonzero(x))*x",
        "masked_select(x, x > 0).sum()",
        "x[x > 0].sum()",
        "sum(x)*len(nonzero(x))",
        "numel(nonzero(x))*sum(x)",
        "one_hot(x.long()).sum()*x.sum()",
        "sum(arange(int(x[0])))*x.sum()",
        "x[x.argmax()]",
        "cross_entropy(x, y)",
        "x[y.long()].sum()",
    ],
)
def test_what_looks_at_the_numbers_is_no_stack(program: str) -> None:
    try:
        plan = Plan(Task(program))
    except GradcliError:
        return
    point = {"x": np.array([2.0, 1.0, 3.0]), "y": np.array([1.0])}
    assert plan.stack({name: point[name] for name in plan.names}) is None


def test_a_row_that_fails_has_its_error_and_costs_the_others_nothing() -> None:
    computation = Computation(Task("sum(inverse(A) @ x) + binary_cross_entropy(sigmoid(x), x)"))
    count = 600
    values = {"A": np.eye(3) * np.arange(1, count + 1)[:, None, None], "x": np.full((count, 3), 0.25)}
    values["A"][[5, 300]] = 0
    values["x"][7, 1] = 1.5
    inputs = inputs_for(computation, values, count)
    forms = computation.forms(inputs.forms)
    assert forms.stack is not None
    found = computation.compute(inputs, forms)
    assert sorted(found.errors) == [5, 7, 300]
    assert "should be between 0 and 1" in str(found.errors[7])
    assert_same(found, computation.one_by_one(inputs, forms))


def test_a_shared_size_is_no_point() -> None:
    """As many rows as a vector is long: an operand of fewer dimensions stays that of its row."""
    computation = Computation(Task("sum(A*x) + binary_cross_entropy_with_logits(A, A, weight=w)", wrt=("A", "x")))
    random = np.random.default_rng(1)
    for count in range(1, 6):
        values = {
            "A": random.uniform(0, 1, (count, 4, 4)),
            "x": random.uniform(0, 1, (count, 4)),
            "w": random.uniform(0, 1, (count, 4)),
        }
        inputs = inputs_for(computation, values, count)
        forms = computation.forms(inputs.forms)
        assert forms.stack is not None
        assert_same(computation.compute(inputs, forms), computation.one_by_one(inputs, forms))


@pytest.mark.parametrize("size", [1, 2, 3, 31, 257, 1023])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_of_any_length_are_in_the_order_of_one(size: int, dtype: str) -> None:
    of_sums = (
        "sum(x)",
        "mean(x*x)",
        "sum(stack([x, x, x*x]), 0) @ x",
        "norm(x)",
        "logsumexp(x, 0)",
        "std(x)",
        "prod(x)",
    )
    for program in of_sums[:5] if size == 1 else of_sums:  # of one number the deviation is not known
        computation = Computation(Task(program, dtype=dtype))
        inputs = Inputs(40, {"x": np.random.default_rng(size).uniform(-1, 1, (40, size))}, {})
        forms = computation.forms(inputs.forms)
        assert (forms.stack is None) == (size == 1023 and "stack" in program)  # of which a point has many entries
        assert_same(computation.compute(inputs, forms), computation.one_by_one(inputs, forms))


def test_every_declaration_is_of_an_option() -> None:
    for primitive in REGISTRY.values():
        if isinstance(primitive.stacked, tuple) and primitive.stacked:
            assert primitive.structured, primitive


@pytest.mark.parametrize("exponent", [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0])
def test_a_power_with_a_number_that_differs_from_row_to_row(exponent: float) -> None:
    computation = Computation(Task("exp(exp(x**c))", upstream=[1, 2, 3]))
    inputs = Inputs(90, {"x": np.random.default_rng(1).uniform(0, 2, (90, 3)), "c": np.full(90, exponent)}, {})
    assert_same(
        computation.compute(inputs, computation.forms(inputs.forms)),
        computation.one_by_one(inputs, computation.forms(inputs.forms)),
    )
