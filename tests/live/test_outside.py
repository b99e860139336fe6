"""Snippets on the real torch leave what they leave here; all samples, as `run --compare torch` compares them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradcli.commands.comparing import outcome
from gradcli.script.comparison import Failure, Outcome, difference
from gradcli.script.execution import execute
from gradcli.script.limits import Limits
from gradcli.script.machine import Machine
from gradcli.script.reading import Snippet, read_snippet
from gradcli.script.timeline.recorder import Recorder

pytest.importorskip("torch")
from gradcli.live.outside import run

FOLDER = Path(__file__).parents[2] / "samples" / "snippets"
SAMPLES = sorted(path for path in FOLDER.iterdir() if path.suffix in (".py", ".ipynb", ".md") and path.stem != "README")
LIMITS = Limits(steps=2_000_000, elements=2**20, seconds=20)


def here(snippet: Snippet) -> Outcome:
    printed: list[tuple[str, int, str]] = []
    machine = Machine(LIMITS, lambda text: printed.append((machine.source.name, machine.line, text)))
    machine.generator.manual_seed(0)
    machine.timeline = Recorder(machine)
    error, timeline = execute(snippet, machine)
    assert timeline is not None
    return outcome(printed, {leaf.name: leaf.grad for leaf in timeline.leaves}, error)


def there(snippet: Snippet) -> Outcome:
    found = run([(cell.name, cell.text) for cell in snippet.cells], echo=snippet.echo)
    failed: Any = found["error"]
    failure = failed and Failure(failed["kind"], failed["message"], (failed["cell"], failed["line"]))
    return Outcome(found["printed"], found["gradients"], failure)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The .grad attribute")
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_sample_agrees_with_torch(path: Path) -> None:
    snippet = read_snippet(path.read_text(encoding="utf-8"), path.name)
    theirs = there(snippet)
    assert difference(here(snippet), theirs) is None
    assert theirs.printed
    assert theirs.gradients


def test_names_lines_and_errors_are_those_of_the_snippet() -> None:
    text = "import torch\nm = torch.nn.Linear(2, 1)\nm(torch.ones(1, 2)).sum().backward()\nprint('a',\n  'b')\n1/0\n"
    snippet = read_snippet(text, "lesson.py")
    ours, theirs = here(snippet), there(snippet)
    assert [*ours.lines()] == [*theirs.lines()] == [(("lesson.py", 4), "a b")]
    assert ours.failure == theirs.failure == Failure("ZeroDivisionError", "division by zero", ("lesson.py", 6))
    assert theirs.gradients == {"m.weight": [[1.0, 1.0]], "m.bias": [1.0]}
    assert difference(ours, theirs) is None


def test_a_text_that_is_no_python_fails_alike() -> None:
    snippet = read_snippet("x = 1\ndef (:\n", "lesson.py")
    failure = there(snippet).failure
    assert failure == Failure("SyntaxError", "invalid syntax", ("lesson.py", 2))
