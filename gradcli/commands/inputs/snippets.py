"""Reading and running snippets: what `gradcli run` and the picture of a snippet's graph have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TextIO

from gradcli.commands.inputs.programs import Program, read_source
from gradcli.commands.options import Limited, one_of
from gradcli.errors import EvaluationError, UsageError
from gradcli.source import Source, visible

if TYPE_CHECKING:
    from gradcli.explanation.model import Explanation
    from gradcli.script.machine import Machine
    from gradcli.script.reading import Snippet

ENDINGS = (".py", ".ipynb", ".md", ".markdown", ".qmd", ".rmd")
STEPS, ELEMENTS = 20_000_000, 2**24  # statements that may run, elements of one tensor, list or text


def source_of(file: str) -> Source:
    """Return the text of the file of a snippet; what it may need of numpy is imported while it still can be."""
    source = read_source(file, help="give the path of a .py, .ipynb or .md file")
    if "numpy" in source.text and "random" in source.text:
        from gradcli.workers.sandbox.modules import import_compiled

        import_compiled(["numpy.random"])
    return source


def read_snippet_of(source: Source) -> Snippet:
    """Read a snippet, and say on standard error what is left out of a notebook."""
    from gradcli.script.reading import read_snippet

    snippet = read_snippet(source.text, source.name)
    for line in snippet.omitted:
        note(f"note: left out what is for a notebook: {visible(line)}\n")
    return snippet


def machine(
    limits: Limited,
    write: Callable[[str], None],
    steps: int = STEPS,
    elements: int = ELEMENTS,
    hears: Callable[[str, str, Source, int], None] | None = None,
) -> Machine:
    """Return a machine with the limits of this process; warnings go to standard error, or to who `hears` them."""
    from gradcli.script.limits import Limits, share
    from gradcli.script.machine import Machine
    from gradcli.workers import child

    bounds = Limits(steps, elements, limits.timeout, share(limits.max_memory))
    write_error = show_error if hears is None else None
    return Machine(bounds, write, hears or warn, write_error, entered=child.at, lines=child.lines)


def file_of(program: Program) -> str | None:
    """Return the path of the snippet that is given in place of a program; None for a program."""
    path = program.file or next(iter(program.arguments or []), "")
    if not path.lower().endswith(ENDINGS):
        return None
    options = {"--wrt": program.wrt, "--upstream": program.upstream, "a value": (program.arguments or [])[1:]}
    for name, value in options.items():
        if value and not (name == "a value" and program.file):
            raise UsageError("E001", f"{name} is for a program, and {visible(path)} is a snippet", help="leave it out")
    return path


def last_pass(file: str, of: str | None, limits: Limited) -> Explanation:
    """Run a snippet within its limits, and return its last backward pass, or the last one from the output `of`."""
    from gradcli.script.execution import execute
    from gradcli.script.timeline.recorder import Recorder

    source = limits.begin(lambda: source_of(file))
    printed: list[str] = []
    snippet, runner = read_snippet_of(source), machine(limits, printed.append)
    runner.timeline = Recorder(runner, keeps_last=True)
    error, timeline = execute(snippet, runner)
    if error is not None:
        raise error
    assert timeline is not None
    return chosen_pass(timeline.last, of)


def chosen_pass(passes: Mapping[str, Explanation | None], of: str | None) -> Explanation:
    """Return the last of some passes, or the one from an output. Raises where there is none, or it is too large."""
    if not passes:
        raise EvaluationError(
            "E216", "the snippet runs no backward pass, so there is no graph to draw", help="call backward() on a loss"
        )
    name = list(passes)[-1] if of is None else one_of("backward pass from", of, list(passes))
    explanation = passes[name]
    if explanation is None:
        raise EvaluationError(
            "E210",
            f"the graph of {visible(name)} is too large to draw, or has several outputs",
            help="draw another with --of NAME, or a smaller model",
        )
    return explanation


def show(text: str, stream: TextIO | None = None) -> None:
    """Write a text that the snippet prints, by default on standard output; a terminal gets no control characters."""
    from gradcli.render.text.streams import encodable
    from gradcli.script.execution import UnwrittenError

    stream = stream or sys.stdout
    if stream.isatty():
        text = "\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))
    try:
        stream.write(encodable(text, stream))
    except OSError as error:
        raise UnwrittenError(error) from None


def show_error(text: str) -> None:
    """Write a text that the snippet prints on standard error, after the output so far."""
    sys.stdout.flush()
    show(text, sys.stderr)


def warn(kind: str, message: str, source: Source, line: int) -> None:
    """Write a warning as Python does, after the output so far."""
    text = "\n".join(map(visible, message.split("\n")))
    note(f"{visible(source.name)}:{line}: {kind}: {text}\n  {visible(source.line(line).strip())}\n")


def note(text: str) -> None:
    """Write to standard error, after the output so far."""
    from gradcli.render.text.streams import encodable, fitting

    sys.stdout.flush()
    sys.stderr.write(fitting(encodable(text, sys.stderr), sys.stderr))
