"""Matrices with nan or an infinity: torch's errors or nan, and never LAPACK's own ends."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import numpy as np
import pytest

import gradcli
from gradcli.engine.tensor import tensor
from gradcli.errors import AutogradError
from gradcli.ops.support.surface import OPERATIONS
from tests.script.running import ours

NAN, INF = float("nan"), float("inf")
WITH_NAN = [[1.0, NAN, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]
WITH_INF = [[1.0, 2.0, 3.0], [4.0, INF, 6.0], [7.0, 8.0, -INF]]
FAILED = "The algorithm failed to converge because the input matrix contained non-finite values."


def call(name: str, A: Any, *rest: Any) -> list[Any]:
    """The results of an operation as arrays."""
    x = tensor(np.array(A))
    found = OPERATIONS[name](x, *rest)
    return [part.value for part in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("A", [WITH_NAN, WITH_INF])
@pytest.mark.parametrize("name", ["eigh", "eigvalsh"])
def test_eigenvalues_are_refused_by_name(name: str, A: Any) -> None:
    """For the place of a nan or an infinity decides whether torch has numbers, nan or an error."""
    with pytest.raises(AutogradError, match="are not supported here"):
        call(name, A)


def test_the_error_has_its_place() -> None:
    with pytest.raises(AutogradError, match="failed to converge") as caught:
        gradcli.explain("y = 1; svd(A).S", A=WITH_NAN)
    assert caught.value.span == (7, 13)


def test_no_other_module_calls_what_iterates() -> None:
    """Numbers are checked at one place, which every other asks."""
    iterating = re.compile(r"np\.linalg\.(svd|svdvals|eigh|eigvalsh|pinv|lstsq|cond|matrix_rank|matrix_norm)\b")
    package = Path(gradcli.__file__).parent
    found = [path.name for path in package.rglob("*.py") if iterating.search(path.read_text("utf-8"))]
    assert found == ["lapack.py"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *((f"np.linalg.{name}(A)", "SVD did not converge") for name in ("svd", "pinv", "matrix_rank", "cond")),
        ("np.linalg.norm(A, 2)", "SVD did not converge"),
        ("np.linalg.norm(A, ord='nuc')", "SVD did not converge"),
        ("np.linalg.lstsq(A, A)", "SVD did not converge in Linear Least Squares"),
        ("np.polyfit(A[0], A[1], 1)", "SVD did not converge in Linear Least Squares"),
        ("np.random.multivariate_normal(A[0], A)", "SVD did not converge"),
        *((f"np.linalg.{name}(A)", "Eigenvalues did not converge") for name in ("eigh", "eigvalsh")),
        ("torch.linalg.svd(torch.tensor(A))", f"linalg.svd: {FAILED}"),
    ],
)
def test_snippets_catch_it(call: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    errors = "(np.linalg.LinAlgError, torch.linalg.LinAlgError)"
    text = f"""
        import numpy as np, torch
        A = np.array([[1, 2, float("nan")], [4, float("inf"), 6], [7, 8, 9]])
        try:
            {call}
        except {errors} as error:
            print(error)
    """
    assert ours(dedent(text)) == f"{message}\n"
    assert capfd.readouterr() == ("", "")


def test_norms_that_need_no_singular_values_have_them() -> None:
    text = """
        import numpy as np
        A = np.array([[1, float("inf")], [2, 3]])
        print(np.linalg.norm(A), np.linalg.norm(A, 1), np.linalg.norm(A[0], 2))
    """
    assert ours(dedent(text)) == "inf inf inf\n"
