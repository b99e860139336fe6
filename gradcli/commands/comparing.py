"""`gradcli run --compare torch`: a snippet here and on the real torch."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

from gradcli.commands.inputs import snippets
from gradcli.commands.options import Formed, Limited
from gradcli.errors import EvaluationError, UsageError
from gradcli.source import visible
from gradcli.workers.apart import fresh

if TYPE_CHECKING:
    from gradcli.script.comparison import Outcome
    from gradcli.script.reading import Snippet


def compare(file: str, form: Formed, name: str, limits: Limited, steps: int, elements: int) -> int:
    """Run a snippet on both, and show the first line at which they differ; 1 where they do."""
    from gradcli.script.comparison import difference
    from gradcli.script.execution import execute
    from gradcli.script.timeline.recorder import Recorder

    snippet = snippets.read_snippet_of(snippets.source_of(file))
    snippets.note(f"note: --compare torch executes {visible(file)} with torch\n")
    version, on_other = on_torch(snippet, limits.timeout)
    limits.begin(lambda: None)
    printed: list[tuple[str, int, str]] = []
    machine = snippets.machine(
        limits, lambda text: printed.append((machine.source.name, machine.line, text)), steps, elements
    )
    machine.generator.manual_seed(0)  # as torch was
    machine.timeline = Recorder(machine)
    error, timeline = execute(snippet, machine)
    assert timeline is not None
    here = outcome(printed, {leaf.name: leaf.grad for leaf in timeline.leaves}, error)
    first_difference = difference(here, on_other)
    show(form, name, snippet, (version, here, on_other), first_difference)
    return 0 if first_difference is None else 1


def on_torch(snippet: Snippet, timeout: float) -> tuple[str, Outcome]:
    """Run a snippet on torch in a process of its own; the version of torch, and what the snippet leaves."""
    from gradcli.script.comparison import Failure, Outcome

    cells = json.dumps({"cells": [(cell.name, cell.text) for cell in snippet.cells], "echo": snippet.echo})
    command = fresh("-m", "gradcli.live.outside")
    try:
        process = subprocess.run(**command, input=cells, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise EvaluationError(
            "E403", f"torch takes more than {timeout:g} s", help="allow more with --timeout SECONDS"
        ) from None
    answer: dict[str, Any] = json.loads(process.stdout) if process.stdout else {}
    if "missing" in answer:
        raise UsageError("E009", "torch is not installed", help="pip install torch")
    if not answer:
        raise EvaluationError("E404", f"the process of torch ended with {process.returncode}")
    failed = answer["error"]
    failure = failed and Failure(failed["kind"], failed["message"], (failed["cell"], failed["line"]))
    return answer["version"], Outcome([tuple(line) for line in answer["printed"]], answer["gradients"], failure)


def outcome(printed: list[tuple[str, int, str]], gradients: dict[str, Any], error: Any) -> Outcome:
    """Return what a snippet leaves here."""
    from gradcli.script.comparison import Failure, Outcome

    if error is None:
        return Outcome(printed, gradients, None)
    kind, _, message = error.message.partition(": ")
    has_place = error.source is not None and error.span is not None
    place = (error.source.name, error.source.position(error.span.start).line) if has_place else ("", 0)
    return Outcome(printed, gradients, Failure(kind, message, place))


def show(form: Formed, name: str, snippet: Snippet, sides: tuple[str, Outcome, Outcome], difference: Any) -> None:
    """Print the comparison in the form `name`."""
    from gradcli.render.run.snippet_document import comparison_document, comparison_text
    from gradcli.render.text.streams import print_document, print_text

    if name == "json":
        print_document(comparison_document(snippet, *sides, difference))
    else:
        print_text(comparison_text(snippet, *sides, difference, form.looks))
