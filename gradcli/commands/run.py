"""`gradcli run`: a PyTorch snippet on the internal engine."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from gradcli.commands.options import Formed, Limited, Raw, Why
from gradcli.commands.programs import read_source
from gradcli.errors import GradcliError
from gradcli.source import Source, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gradcli.script.reading import Snippet
    from gradcli.script.timeline.model import Event, Timeline


def command(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A .py, .ipynb or .md file; - is Python on standard input.")
    ],
    explain: Annotated[bool, typer.Option("--explain", help="Tell line by line what autograd did.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the explanation, not what is printed.")] = False,
    all: Annotated[bool, typer.Option("--all", help="Every repetition of a line, every row.")] = False,
    why: Why = False,
    max_steps: Annotated[
        int, typer.Option("--max-steps", min=1, metavar="N", help="Statements that may run.")
    ] = 20_000_000,
    max_elements: Annotated[
        int, typer.Option("--max-elements", min=1, metavar="N", help="Elements of one tensor, list or text.")
    ] = 2**24,
    no_simplify: Raw = False,
    *,
    form: Formed,
    limits: Limited,
) -> int:
    """Run a PyTorch snippet without PyTorch, and print what torch would print.

    \b
    Examples:
      gradcli run lesson.py
      gradcli run lesson.py --explain
      gradcli run lesson.ipynb --json | jq -r .printed
      gradcli run - < lesson.py
    """
    with form.opened("run") as name:
        error = Page(file, form, name, is_quiet=quiet, has_every_row=all, is_raw=no_simplify, says_why=why).run(
            limits, max_steps, max_elements, is_explained=explain
        )
    if error is None:
        return 0
    if name == "json":  # which has the error
        return error.exit_code
    raise error


@dataclass
class Page:
    """The part of the output that is not the snippet's own, and in `printed` the texts that wait for a document."""

    file: str
    options: Formed
    form: str
    is_quiet: bool
    has_every_row: bool
    is_raw: bool
    says_why: bool
    printed: list[str] = field(default_factory=list)

    def run(self, limits: Limited, max_steps: int, max_elements: int, *, is_explained: bool) -> GradcliError | None:
        """Run the snippet within its limits and show what it did; the error that stopped it."""
        from gradcli.script.execution import execute
        from gradcli.script.limits import Limits, share
        from gradcli.script.machine import Machine
        from gradcli.script.reading import read_snippet
        from gradcli.workers import child

        limits.begin()
        source = read_source(self.file, help="give the path of a .py, .ipynb or .md file")
        snippet = read_snippet(source.text, source.name)
        for line in snippet.omitted:
            note(f"note: left out what is for a notebook: {visible(line)}\n")
        is_text = self.form == "text"
        write = show if is_text and not self.is_quiet else self.printed.append
        most = Limits(max_steps, max_elements, limits.timeout, share(limits.max_memory))
        machine = Machine(most, write, warn, show_error, entered=child.at, lines=child.lines)
        if is_explained or self.says_why or self.is_quiet or not is_text:
            from gradcli.script.timeline.recorder import Recorder

            machine.timeline = Recorder(machine, all=self.has_every_row)
        error, timeline = execute(snippet, machine)
        if timeline is not None:
            self.show(snippet, error, timeline)
        return error

    def show(self, snippet: Snippet, error: GradcliError | None, timeline: Timeline) -> None:
        """Print the timeline, in the form that is asked for."""
        if self.form == "json":
            from gradcli.render.run.snippet_document import event, snippet_document
            from gradcli.render.text.streams import print_long_document

            name = "standard input" if self.file == "-" else self.file
            document = snippet_document(name, "".join(self.printed), replace(timeline, events=()), error)
            return print_long_document(document, "timeline", map(event, self.events(timeline)))
        timeline = replace(timeline, events=tuple(self.events(timeline)))
        if self.form != "text":
            from gradcli.script.execution import Ran

            ran = Ran(snippet, "".join(self.printed), timeline, error)
            return self.options.show("run", self.form, ran, all=self.has_every_row, why=self.says_why)
        from gradcli.render.run.timeline import timeline_page
        from gradcli.render.text.streams import print_text

        page = timeline_page(
            timeline, self.options.looks, all=self.has_every_row, failed=error is not None, why=self.says_why
        )
        apart = "\n" if page and not self.is_quiet and sys.stdout.isatty() else ""
        return print_text(apart + page)

    def events(self, timeline: Timeline) -> Iterable[Event]:
        """Return the events with the formulas that are to be shown."""
        from gradcli.script.timeline.formulas import with_short_formulas

        return timeline.events if self.is_raw else map(with_short_formulas, timeline.events)


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
