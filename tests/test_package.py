"""The package as it is installed and imported: what loads when, what the README promises of it, where grammars are."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli.errors import EvaluationError, GradcliError
from gradcli.language import grammar

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
HEAVY = ("numpy", "lark", "rich", "pydantic")


def loaded_by(code: str) -> set[str]:
    """Which heavy modules a fresh interpreter has after this code."""
    script = f"import sys\n{code}\nprint('loaded', *(name for name in {HEAVY} if name in sys.modules))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(result.stdout.split("loaded")[-1].split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "import gradcli",
        "import gradcli.cli",
        "from gradcli.cli import run; run(['--version'])",
        "from gradcli.cli import run; run(['--help'])",
        "from gradcli.cli import run; run(['eval', '--help'])",
        "from gradcli.cli import run; run(['eval', '--jsom'])",
        "from gradcli.cli import run; run(['schema', 'error'])",
        "from gradcli.cli import run; run(['practice', '--help'])",
        "from gradcli.commands.practice import completed; completed('s')",
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(code: str) -> None:
    assert loaded_by(code) == set()


@pytest.mark.slow
def test_documents_need_no_rich() -> None:
    code = "from gradcli.cli import run; run(['{}', 'x**2', 'x=3', '--json'])"
    assert loaded_by(code.format("eval")) == {"numpy", "lark"}
    assert loaded_by(code.format("grad")) == {"numpy", "lark"}


def test_the_docstring() -> None:
    result = doctest.testmod(gradcli)
    assert result.attempted > 2
    assert result.failed == 0


def test_the_readme_as_a_library(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    exec(code, {})
    assert capsys.readouterr().out.count("->") == 5
    (promised,) = re.findall(r"# (\{.*\})", code)
    assert str(gradcli.gradients("z=(x1+a*x2)**2", x1=1, a=2, x2=3)) == promised


def test_explain_and_gradients() -> None:
    found = gradcli.gradients("x*y + 0*z", x=[1, 2], y=np.array([3.0, 4.0]), z=1, upstream=[1, 10], wrt=["x", "z"])
    assert list(found) == ["x", "z"]
    np.testing.assert_array_equal(found["x"], [3, 40])
    assert gradcli.gradients("a = x**2; b = w", of="a", x=3, w=1) == {"x": 6.0, "w": None}
    explanation = gradcli.explain("of*2", {"of": 3})
    assert (explanation.value, explanation.leaves[0].gradient) == (6, 2)


@pytest.mark.parametrize("value", ["word", None, {}, object(), [[1, 2], [3]], [1, "a"], 1j, np.array(["a"])])
def test_values_that_are_no_numbers(value: object) -> None:
    with pytest.raises(EvaluationError, match="the value of x is neither a number nor a list of numbers"):
        gradcli.gradients("x", x=value)


def test_errors_have_one_base() -> None:
    for program in ("x +", "x", "foo(1)", "[1, 2] + [1, 2, 3]", "x[", "zeros(10**12)"):
        with pytest.raises(GradcliError):
            gradcli.explain(program)


def test_a_value_that_the_program_does_not_use_is_warned_about() -> None:
    with pytest.warns(UserWarning, match="the program does not use y, z"):
        gradcli.gradients("x", x=1, y=2, z=3)


def test_the_test_command_of_the_readme_is_what_ci_runs() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (pattern,) = re.findall(r"grep -m 1 -- '(.*)' README.md", script)
    (command,) = re.findall(pattern.replace("-m", ".*-m"), README, re.MULTILINE)
    assert command.startswith("python3 -m venv .venv && ")


@pytest.mark.slow
def test_it_works_from_a_zip_file(tmp_path: Path) -> None:
    archive = tmp_path / "gradcli.zip"
    with zipfile.ZipFile(archive, "w") as written:
        for folder in ("gradcli", "grammars"):
            for file in (ROOT / folder).rglob("*"):
                if "__pycache__" not in file.parts:
                    written.write(file, Path("gradcli" if folder == "grammars" else "", file.relative_to(ROOT)))
    (tmp_path / "lesson.py").write_text("import torch\nx = torch.ones(2, requires_grad=True)\nprint(x.sum())\n")
    path = os.pathsep.join([str(archive), *filter(None, sys.path)])
    for command in ("run lesson.py", "eval x**2 x=3 -o lesson.html", "practice"):
        asked = [sys.executable, "-P", "-m", "gradcli", *command.split()]
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            asked, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b""), command
    assert (tmp_path / "lesson.html").stat().st_size > 10_000


def test_the_grammar_is_found_in_the_package_and_in_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = grammar.grammar_text("expression.lark")
    assert text == (ROOT / "grammars" / "expression.lark").read_text(encoding="utf-8")
    monkeypatch.setattr(grammar, "__file__", str(tmp_path / "gradcli" / "language" / "grammar.py"))
    for folder, content in (("grammars", "of the checkout"), ("gradcli/grammars", "of the package")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "expression.lark").write_text(content, encoding="utf-8")
        assert grammar.grammar_text("expression.lark") == content
