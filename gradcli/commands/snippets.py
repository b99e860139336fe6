"""Running a snippet for the command line: where it comes from, where its output goes."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TextIO

from gradcli.commands.programs import read_text, unmasked
from gradcli.errors import GradcliError
from gradcli.source import Source, visible


class UnwrittenError(BaseException):
    """Standard output cannot be written: nothing that a snippet could catch."""

    def __init__(self, reason: OSError) -> None:
        self.reason = reason


@dataclass(frozen=True)
class SnippetJob:
    """One snippet, as the options say it."""

    file: str
    limits: Any  # Limits
    looks: Any  # Looks
    explain: bool
    quiet: bool
    all: bool
    json: bool
    error_form: str

    def run(self) -> int:
        """Run it, and tell what is asked for; the exit code."""
        from gradcli.script.reading import read_snippet

        file = unmasked(self.file)
        name = "standard input" if file == "-" else file
        snippet = read_snippet(read_text(file, name, help="give the path of a .py, .ipynb or .md file"), name)
        for line in snippet.omitted:
            self.note(f"note: left out what is for a notebook: {visible(line)}\n")
        printed: list[str] = []
        return self.tell(name, printed, *self.execute(snippet, printed))

    def tell(self, name: str, printed: list[str], error: GradcliError | None, timeline: Any) -> int:
        """Print what is asked for besides what the snippet prints itself; the exit code."""
        if self.json:
            from gradcli.render.run.snippet_document import event, snippet_document
            from gradcli.render.text.streams import print_long_document

            document = snippet_document(name, "".join(printed), replace(timeline, events=()), error)
            print_long_document(document, "timeline", map(event, timeline.events))
            return error.exit_code if error else 0
        if timeline is not None:
            from gradcli.render.run.timeline import timeline_page
            from gradcli.render.text.streams import print_text

            page = timeline_page(timeline, self.looks, all=self.all, failed=error is not None)
            apart = "\n" if page and not self.quiet and sys.stdout.isatty() else ""
            print_text(apart + page)
        if error is not None:
            raise error
        return 0

    def execute(self, snippet: Any, printed: list[str]) -> tuple[GradcliError | None, Any]:
        """Run the cells: what stopped them, if anything, and the timeline, if one is asked for."""
        from gradcli.script.failure import failure
        from gradcli.script.guards import deadline
        from gradcli.script.interpreter import run
        from gradcli.script.machine import Machine

        write = printed.append if self.json or self.quiet else self.print
        machine = Machine(self.limits, write, self.warn, self.print_error)
        if self.explain:
            from gradcli.script.timeline.recorder import Recorder

            machine.timeline = Recorder(machine, all=self.all)
        try:
            with deadline(self.limits.seconds, lambda: self.abandon(machine, printed)):
                run(snippet.cells, machine, echo=snippet.echo)
        except UnwrittenError as error:
            raise error.reason from None
        except Exception as error:
            told = failure(error, [*machine.globals, *machine.builtins])
            return told, machine.timeline and machine.timeline.finished()
        return None, machine.timeline and machine.timeline.finished()

    def abandon(self, machine: Any, printed: list[str]) -> None:
        """End the process, whose time is over in the midst of an instruction that takes for ever."""
        from gradcli.render.text.error import print_error

        code = 3
        try:
            machine.budget.late()
        except GradcliError as error:
            told = error.at(machine.span, machine.source)
            try:
                timeline = machine.timeline and machine.timeline.finished()
                code = self.tell(machine.source.name, printed, told, timeline)
            except GradcliError:
                print_error(told, self.error_form)
        finally:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            os._exit(code)

    def print(self, text: str, stream: TextIO | None = None) -> None:
        """What the snippet prints, by default on standard output; a terminal gets no control characters from it."""
        from gradcli.render.text.streams import encodable

        stream = stream or sys.stdout
        if stream.isatty():
            text = "\n".join("\t".join(map(visible, line.split("\t"))) for line in text.split("\n"))
        try:
            stream.write(encodable(text, stream))
        except OSError as error:
            raise UnwrittenError(error) from None

    def print_error(self, text: str) -> None:
        """What the snippet prints on standard error, after what was printed before it."""
        sys.stdout.flush()
        self.print(text, sys.stderr)

    def warn(self, kind: str, message: str, source: Source, line: int) -> None:
        """A warning as Python writes it, after what was printed before it."""
        told = "\n".join(map(visible, message.split("\n")))
        self.note(f"{visible(source.name)}:{line}: {kind}: {told}\n  {visible(source.line(line).strip())}\n")

    def note(self, text: str) -> None:
        """Write to standard error, after what was printed before it."""
        from gradcli.render.text.streams import encodable

        sys.stdout.flush()
        sys.stderr.write(encodable(text, sys.stderr))
