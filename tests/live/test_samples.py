"""The samples with torch print what they say, and the notebook shows what it stores."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gradcli.script.comparison import same_text

pytest.importorskip("torch")

FOLDER = Path(__file__).parents[2] / "samples" / "torch"


@pytest.mark.slow
def test_the_script(tmp_path: Path) -> None:
    endings = ("html", "svg", "json", "tex", "md", "txt", "dot", "mmd")
    paths = [str(tmp_path / f"lesson.{ending}") for ending in endings]
    done = subprocess.run(
        [sys.executable, str(FOLDER / "explain_model.py"), *paths], capture_output=True, text=True, check=True
    )
    stored = (FOLDER / "explain_model.out").read_text(encoding="utf-8").splitlines()
    assert len(stored) == len(done.stdout.splitlines())
    assert all(map(same_text, done.stdout.splitlines(), stored))
    assert all("hidden" in Path(path).read_text(encoding="utf-8") for path in paths)


def test_the_notebook() -> None:
    """Its cells are run here, without a kernel; the plain texts of what they show are those that are stored."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    for cell in json.loads((FOLDER / "live_model.ipynb").read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            tree = ast.parse("".join(cell["source"]))
            last = tree.body.pop()
            assert isinstance(last, ast.Expr)
            exec(compile(tree, "cell", "exec"), scope)
            shown = eval(compile(ast.Expression(last.value), "cell", "eval"), scope)
            bundle = shown._repr_mimebundle_() if hasattr(shown, "_repr_mimebundle_") else {"text/plain": repr(shown)}
            (stored,) = cell["outputs"]
            assert stored["data"].keys() == bundle.keys()
            lines = "".join(stored["data"]["text/plain"]).splitlines()
            assert all(map(same_text, bundle["text/plain"].splitlines(), lines))
