"""`import gradcli` as programs use it: functions, forms, errors; from threads, processes and event loops."""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import pydoc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli import errors
from gradcli.engine.modes import ENGINE
from tests.commands.running import document
from tests.commands.running import gradcli as command

PROGRAM, POINT = "z=(x1+a*x2)**2", {"x1": 1, "a": 2, "x2": 3}
SOFTMAX: tuple[str, dict[str, Any]] = ("sum(softmax(x, dim=0)*y)", {"x": [1, 2, 3], "y": [0, 1, 0]})
POINTS: list[tuple[str, dict[str, Any]]] = [(PROGRAM, POINT), SOFTMAX, ("exp(-x**2)*sin(x)", {"x": 0.7})]
TWICE = """\
import torch
w = torch.tensor(2.0, requires_grad=True)
for _ in range(2):
    (w**2).backward()
    w.data -= 0.1 * w.grad
print(w.grad)
"""


def test_help_is_a_page() -> None:
    page = pydoc.render_doc(gradcli, renderer=pydoc.plaintext)
    for name in gradcli.__all__:
        assert name in page
        assert getattr(gradcli, name).__doc__
    assert page.count("\n") < 240  # of which Python 3.14 takes a line for each argument
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Warning | Exception)]
    assert len(kinds) == len([kind for kind in kinds if getattr(gradcli, kind.__name__, None) is kind])


def test_variables_in_a_mapping_may_have_any_name() -> None:
    assert gradcli.gradients("wrt*of", {"wrt": 2, "of": 3}) == {"wrt": 3.0, "of": 2.0}
    with pytest.raises(gradcli.UsageError, match="x is given twice"):
        gradcli.gradients("x", {"x": 1}, x=1)


def test_an_explanation_has_the_forms_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    explanation = gradcli.explain(PROGRAM, POINT)
    line = f"eval {PROGRAM} x1=1 a=2 x2=3"
    assert str(explanation) + "\n" == command(capsys, line).out
    assert document(explanation.to_json()) == document(command(capsys, f"{line} --json").out)
    assert repr(explanation) == "<Explanation of 'z=(x1+a*x2)**2': value=49.0, d_x1=14.0, d_a=42.0, d_x2=28.0>"
    assert "d_x:[2, 2]" in repr(gradcli.explain("sum(x)", x=[[1, 2], [3, 4]]))
    assert explanation.gradients == gradcli.gradients(PROGRAM, POINT)
    assert explanation.formulas == gradcli.symbolic(PROGRAM)
    assert explanation != gradcli.explain(PROGRAM, POINT)
    assert len({explanation, explanation}) == 1


def test_formulas_and_higher_derivatives() -> None:
    assert gradcli.symbolic("sum((X @ w - y)**2)", X="n,d", w="d", y="n", wrt="w") == {"w": "2*X.T @ (X @ w - y)"}
    assert gradcli.symbolic("a = x**2; b = w", of="a", wrt=["w"], w=1, x=2) == {"w": None}
    np.testing.assert_array_equal(
        gradcli.jacobian("A @ x", A=[[1, 2], [3, 4]], x=[1, 1], wrt="x")["x"], [[1, 2], [3, 4]]
    )
    assert gradcli.hessian("x**3*y", x=2, y=3) == {("x", "x"): 36.0, ("x", "y"): 12.0, ("y", "y"): 0.0}
    assert gradcli.verify(PROGRAM, POINT).agrees


def test_formulas_are_over_the_variables_alone() -> None:
    program = "h = tanh(W@x + b); o = tanh(V@h + c); p = tanh((o@o)*h); mean((p - t)**2)"
    shapes = {"W": "3,2", "x": "2", "b": "3", "V": "2,3", "c": "2", "t": "3"}
    rng = np.random.default_rng(1)
    values = {name: rng.normal(size=tuple(map(int, shape.split(",")))) for name, shape in shapes.items()}
    formula = gradcli.symbolic(program, values, wrt="W")["W"]
    assert formula is not None
    used = {name: value for name, value in values.items() if name in formula}
    ones = np.ones((3, 2))
    np.testing.assert_allclose(
        gradcli.explain(formula, used, upstream=ones).value, gradcli.gradients(program, values)["W"]
    )


def test_snippets_run_in_a_process_of_their_own(tmp_path: Path) -> None:
    ran = gradcli.run(TWICE)
    assert (ran["ok"], ran["printed"]) == (True, "tensor(7.2000)\n")
    (tmp_path / "lesson.py").write_text(TWICE)
    assert [one.code for one in gradcli.why(tmp_path / "lesson.py")] == ["accumulated"]
    assert gradcli.why(gradcli.explain("log(x)", x=0)) != []
    with pytest.raises(gradcli.EvaluationError, match="was never closed"):
        gradcli.why("x = (1")
    with pytest.raises(gradcli.UsageError, match="cannot read"):
        gradcli.run(tmp_path / "none.py")


def answers(number: int) -> tuple[str, str]:
    program, point = POINTS[number % len(POINTS)]
    explanation = gradcli.explain(program, point)
    return str(explanation.gradients), explanation.to_text()


def test_threads_take_turns() -> None:
    expected = [answers(number) for number in range(len(POINTS))]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(answers, range(30)))
    finally:
        sys.setswitchinterval(before)
    assert found == expected * 10


def test_an_event_loop_goes_on() -> None:
    async def gathered() -> list[tuple[str, str]]:
        return await asyncio.gather(*(asyncio.to_thread(answers, number) for number in range(6)))

    assert asyncio.run(gathered())[0] == answers(0)


@pytest.mark.parametrize(("program", "point"), POINTS)
def test_explanations_pickle(program: str, point: dict[str, Any]) -> None:
    explanation = gradcli.explain(program, point)
    restored = pickle.loads(pickle.dumps(explanation))
    assert restored.to_text(why=True) == explanation.to_text(why=True)
    assert restored.to_dict() == explanation.to_dict()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork")
def test_a_forked_process_does_not_wait_for_threads_that_it_has_not() -> None:
    is_held, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with ENGINE:
            is_held.set()
            may_end.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    is_held.wait(60)
    try:
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.apply_async(gradcli.gradients, (PROGRAM, POINT)).get(60)["a"] == 42
    finally:
        may_end.set()
        thread.join()


def test_a_warning_names_the_line_of_the_caller() -> None:
    with pytest.warns(gradcli.GradcliWarning, match="the program does not use y") as caught:
        gradcli.gradients("x", x=1, y=2)
    assert caught[0].filename == __file__


def test_programs_that_use_it_have_types_that_say_something() -> None:
    """The types are what mypy, which is strict here, holds these lines to."""
    explanation = gradcli.explain("x*y", {"y": 2}, x=np.ones(3), wrt=["x"], dtype="float32", upstream=[1, 1, 1])
    text: str = explanation.to_text(why=True)
    formula: str | None = gradcli.symbolic("x**2", x="n")["x"]
    gradients: dict[str, float | np.ndarray[tuple[int, ...], np.dtype[np.float64]] | None] = gradcli.gradients("x", x=1)
    second = gradcli.hessian("x**2", x=1)["x", "x"]
    agrees: bool = gradcli.verify("x**2", x=1).agrees
    codes: list[str] = [finding.code for finding in gradcli.why("import torch")]
    assert "Gradients" in text
    assert (formula, gradients, second, agrees, codes) == ("2*upstream*x", {"x": 1.0}, 2.0, True, [])
    with pytest.raises(gradcli.ProgramSyntaxError) as failure:
        gradcli.explain("x +")
    code: str = failure.value.code
    assert code.startswith("E1")
