"""A column of points gives what its points give alone, to the last bit; and both give what `grad` gives."""

from __future__ import annotations

import pickle
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.errors import GradcliError
from gradcli.explanation.build import explain
from gradcli.language.parser import parse_program
from gradcli.source import Source
from gradcli.stream.plan import Plan, Result, Task
from tests.programs import every_operation, some

DTYPES = ("float64", "float32")
EDGES = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1e-300, -1e-300, 5e-324, 1e300, -1e300, 1e-8, 709.5, 88.5, 0.1, 1 / 3, 1e16]
NOT_COLUMNS = [
    "sum(x)",
    "mean(x*y)",
    "x*[1, 2]",
    "numel(x)*x",
    "x > y",
    "softmax(x, dim=0)",
    "[x, y]",
    "relu(x).sum()",
    "stack([x, y])[0]",
    "unsqueeze(x, 0)[0]*y",
    "floor(x).long()",
]


def is_columnar(program: str, **options: Any) -> bool:
    try:
        return Plan(Task(program, **options)).is_columnar
    except GradcliError:
        return False


@cache
def elementwise(arguments: str) -> list[str]:
    """The operations that take a column for each of these arguments."""
    return [name for name in every_operation() if is_columnar(f"{name}({arguments})")]


def expressions() -> st.SearchStrategy[str]:
    def larger(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        unary = st.tuples(st.sampled_from(elementwise("x")), parts).map(lambda t: f"{t[0]}({t[1]})")
        binary = st.tuples(st.sampled_from(elementwise("x, y")), parts, parts).map(lambda t: f"{t[0]}({t[1]}, {t[2]})")
        infix = st.tuples(parts, st.sampled_from(["+", "-", "*", "/", "**", "//", "%"]), parts).map(
            lambda t: f"({' '.join(t)})"
        )
        chosen = st.tuples(parts, parts, parts).map(lambda t: f"where({t[0]} < {t[1]}, {t[1]}, {t[2]})")
        return unary | binary | infix | chosen

    leaves = st.sampled_from(["x", "y", "x", "y", "2", "0.5", "-1", "3", "1.7", "pi"])
    return st.recursive(leaves, larger, max_leaves=6)


def numbers() -> st.SearchStrategy[float]:
    return st.sampled_from(EDGES) | st.floats(-4, 4) | st.floats(allow_nan=False, allow_infinity=False)


def bits(value: Any) -> Any:
    """All of a number that is ever written; the sign of nan is not."""
    return None if value is None else "nan" if np.isnan(value) else np.asarray(value).tobytes()


def assert_same(plan: Plan, columns: dict[str, Any], count: int) -> None:
    """Every point of a column against the point alone."""
    together = plan.over(columns, count)
    for place in range(count):
        alone = plan.at({name: column[place].item() for name, column in columns.items()})
        assert bits(alone.value) == bits(together.value[place])
        assert list(alone.gradients) == list(together.gradients)
        for name, gradient in together.gradients.items():
            assert bits(alone.gradients[name]) == bits(None if gradient is None else gradient[place])


@pytest.mark.parametrize("program", ["x % y", "2 % x", "remainder(2, x)*x", "floor_divide(x, y)"])
def test_a_program_that_has_no_gradient_is_computed_point_by_point(program: str) -> None:
    plan = Plan(Task(program))
    try:
        plan.at(dict.fromkeys(plan.names, 1.5))
    except GradcliError:
        assert not plan.is_columnar
    else:
        assert plan.is_columnar


@pytest.mark.slow
@settings(max_examples=30)
@given(
    st.deferred(expressions),
    st.lists(st.tuples(numbers(), numbers()), min_size=1, max_size=19),
    st.sampled_from(DTYPES),
)
def test_a_column_is_its_points(program: str, points: list[tuple[float, float]], dtype: str) -> None:
    if not is_columnar(program, dtype=dtype):
        return
    plan = Plan(Task(program, dtype=dtype))
    x, y = np.array(points).T.copy()
    assert_same(plan, {name: {"x": x, "y": y}[name] for name in plan.names}, len(points))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("arguments", ["x", "x, y"])
def test_each_operation_over_a_long_column(arguments: str, dtype: str) -> None:
    random = np.random.default_rng(7)
    x, y = random.uniform(-3, 3, 75), random.uniform(0.01, 30, 75)
    for name in some(elementwise(arguments), 2, DTYPES.index(dtype)):
        plan = Plan(Task(f"{name}({arguments})", dtype=dtype))
        assert_same(plan, {"x": x, "y": y} if "y" in arguments else {"x": x}, 75)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("arguments", ["x", "x, y", "x, 0", "x, 2", "2, x", "x, y, x"])
def test_a_replay_is_the_program(arguments: str, dtype: str) -> None:
    """At values other than those of its tape, every edge among them; where the program refuses, so does the plan."""
    x, y = (column.ravel() for column in np.meshgrid(EDGES, EDGES))
    replayed = 0
    for name in some(elementwise(arguments), 2):
        for program in (f"{name}({arguments})", f"u = {name}({arguments}); sin(u)*x + {name}({arguments})"):
            plan = Plan(Task(program, dtype=dtype))
            if plan.replay is None:
                continue
            replayed += 1
            values = {key: {"x": x, "y": y}[key] for key in plan.names}
            assert outcome(plan, values) == outcome(pickle.loads(pickle.dumps(plan)), values), program
    assert replayed > 2


def outcome(plan: Plan, values: dict[str, Any]) -> Any:
    """The bits of a result, or the code of a refusal; a plan that was pickled reads its program each time."""
    try:
        result = plan.over(values, len(EDGES) ** 2)
    except GradcliError as error:
        return error.code
    columns = [result.value, *(result.gradients[name] for name in plan.names)]
    return [None if column is None else [*map(bits, column)] for column in columns]


@pytest.mark.parametrize("arguments", ["x", "x, y"])
def test_a_point_is_what_grad_gives(arguments: str) -> None:
    for name in elementwise(arguments):
        program = f"{name}({arguments})"
        plan = Plan(Task(program))
        values = {key: {"x": 0.31, "y": 0.77}[key] for key in plan.names}
        result, expected = plan.at(values), explain(parse_program(Source(program)), values)
        np.testing.assert_allclose(result.value, expected.value, rtol=1e-12, err_msg=program)
        assert list(result.gradients) == [leaf.name for leaf in expected.leaves]
        for leaf in expected.leaves:
            if leaf.gradient is None:
                assert result.gradients[leaf.name] is None
            else:
                np.testing.assert_allclose(result.gradients[leaf.name], leaf.gradient, rtol=1e-12, err_msg=program)


@pytest.mark.parametrize("program", NOT_COLUMNS)
def test_what_is_not_elementwise_goes_point_by_point(program: str) -> None:
    assert not is_columnar(program)


def test_the_options_decide_too() -> None:
    assert is_columnar("x*w", fixed={"w": 2})
    assert is_columnar("w = 3; x*w")
    assert is_columnar("x*y", upstream=0.5)
    assert not is_columnar("x*w", fixed={"w": np.array([1.0, 2.0])})
    assert not is_columnar("x*w", fixed={"w": True})
    assert not is_columnar("x*y", upstream=np.array([1.0, 2.0]))
    assert not Plan(Task("x*y"), is_columnar=False).is_columnar


def test_choices_of_what_to_differentiate() -> None:
    assert Plan(Task("x*y", wrt=("y",))).at({"x": 3.0, "y": 4.0}) == Result(12.0, {"y": 3.0})
    assert Plan(Task("x*y", upstream=2)).at({"x": 3.0, "y": 4.0}) == Result(12.0, {"x": 8.0, "y": 6.0})
    assert Plan(Task("x*y", is_forward_only=True)).at({"x": 3.0, "y": 4.0}) == Result(12.0, {})
    assert Plan(Task("x*y", fixed={"y": 4})).at({"x": 3.0}) == Result(12.0, {"x": 4.0, "y": 3.0})


@pytest.mark.parametrize(
    ("task", "code"),
    [
        (Task("x+"), "E104"),
        (Task("x", wrt=("y",)), "E007"),
        (Task("x", of="y"), "E010"),
        (Task("y = x+1", fixed={"y": 1}), "E006"),
    ],
)
def test_what_is_wrong_for_every_point_is_said_at_once(task: Task, code: str) -> None:
    with pytest.raises(GradcliError) as caught:
        Plan(task)
    assert caught.value.code == code
    assert caught.value.exit_code == 2


def test_memory_is_given_back() -> None:
    """Nothing of a run is left in a cycle: what is held does not grow while no collection runs."""
    import gc
    import weakref

    plan = Plan(Task("x*y"))
    column = np.ones(10)
    reference = weakref.ref(column)
    gc.disable()
    try:
        plan.over({"x": column, "y": np.ones(10)}, 10)
        del column
        assert reference() is None
    finally:
        gc.enable()
