"""`gradcli run`: a PyTorch snippet on the internal engine."""

from __future__ import annotations

import sys
from dataclasses import field, replace
from typing import TYPE_CHECKING, Annotated

from gradcli.commands.declared import Argument, Option
from gradcli.commands.inputs import snippets
from gradcli.commands.options import Formed, Limited, Picture, Raw, TorchNodes, Why, one_of
from gradcli.errors import GradcliError
from gradcli.facts import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gradcli.findings.examination import Ran
    from gradcli.script.machine import Machine
    from gradcli.script.reading import Snippet
    from gradcli.script.timeline.model import Event, Timeline
    from gradcli.script.timeline.recorder import Recorder

PICTURES = ("svg", "dot", "mermaid")  # of the graph of a backward pass


def command(
    file: Annotated[str, Argument(metavar="FILE", help="A .py, .ipynb or .md file; - is Python on standard input.")],
    explain: Annotated[bool, Option("--explain", help="Tell line by line what autograd did.")] = False,
    quiet: Annotated[bool, Option("--quiet", "-q", help="Only the explanation, not what is printed.")] = False,
    all: Annotated[bool, Option("--all", help="Every repetition of a line, every row and entry.")] = False,
    why: Why = False,
    max_steps: Annotated[
        int, Option("--max-steps", min=1, metavar="N", help="Statements that may run.")
    ] = snippets.STEPS,
    max_elements: Annotated[
        int, Option("--max-elements", min=1, metavar="N", help="Elements of one tensor, list or text.")
    ] = snippets.ELEMENTS,
    torch_nodes: TorchNodes = False,
    no_simplify: Raw = False,
    of: Annotated[
        str | None, Option("--of", metavar="NAME", help="In a picture: the last pass from this output.")
    ] = None,
    compare: Annotated[
        str | None, Option("--compare", metavar="torch", help="Run it on the real torch too, and compare.")
    ] = None,
    *,
    form: Formed,
    picture: Picture,
    limits: Limited,
) -> int:
    """Run a PyTorch snippet without PyTorch, and print what torch would print.

    \b
    Examples:
      gradcli run lesson.py
      gradcli run lesson.py --explain
      gradcli run lesson.py -o graph.svg
      gradcli run lesson.ipynb --json | jq -r .printed
      gradcli run - < lesson.py
    """
    if compare is not None:
        from gradcli.commands.comparing import compare as compared
        from gradcli.commands.forms import COMPARISON

        one_of("library to compare with:", compare, ["torch"])
        with form.opened(COMPARISON, [file]) as name:
            return compared(file, form, name, limits, max_steps, max_elements)
    with form.opened("run", [file]) as name:
        settings = {"all": all, "why": why, "torch_nodes": torch_nodes}
        page = Page(file, form, name, picture, of, settings, is_quiet=quiet, is_raw=no_simplify)
        error = page.run(limits, max_steps, max_elements, is_explained=explain)
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
    picture: Picture
    of: str | None
    settings: dict[str, bool]  # for the looks
    is_quiet: bool
    is_raw: bool
    printed: list[str] = field(default_factory=list)

    def run(self, limits: Limited, max_steps: int, max_elements: int, *, is_explained: bool) -> GradcliError | None:
        """Run the snippet within its limits and show what it did; the error that stopped it."""
        from gradcli.script.execution import execute

        source = limits.begin(lambda: snippets.source_of(self.file))
        snippet = snippets.read_snippet_of(source)
        is_text = self.form == "text"
        write = snippets.show if is_text and not self.is_quiet else self.printed.append
        machine = snippets.machine(limits, write, max_steps, max_elements)
        if is_explained or self.settings["why"] or self.settings["torch_nodes"] or self.is_quiet or not is_text:
            machine.timeline = self.recorder(machine)
        error, timeline = execute(snippet, machine)
        if timeline is not None:
            if self.form in PICTURES:
                self.draw(error, timeline)
            else:
                self.show(self.ran(snippet, error, timeline, machine))
        return error

    def recorder(self, machine: Machine) -> Recorder:
        """Return the recorder of the run; a page also needs its moments."""
        if self.form in PICTURES:
            from gradcli.script.timeline.recorder import Recorder

            return Recorder(machine, all=self.settings["all"], keeps_last=True)
        from gradcli.findings import catalogue  # noqa: F401  declares the causes

        if self.form == "html":
            from gradcli.findings.watching import WatchingWitness

            return WatchingWitness(machine, self.printed, all=self.settings["all"], is_told=True)
        from gradcli.findings.witness import Witness

        return Witness(machine, all=self.settings["all"], is_told=True)

    def ran(self, snippet: Snippet, error: GradcliError | None, timeline: Timeline, machine: Machine) -> Ran:
        """Return the run with its findings, and the timeline without what they tell."""
        from gradcli.findings.examination import Ran, Telling, examination

        witness = machine.timeline
        examined = examination(witness, snippet, self.file, error)
        timeline = Telling(examined.findings).timeline(timeline)
        return Ran(snippet, "".join(self.printed), timeline, error, examined, getattr(witness, "moments", None))

    def draw(self, error: GradcliError | None, timeline: Timeline) -> None:
        """Draw the graph of a backward pass."""
        if error is not None and not timeline.last:
            raise error
        explanation = snippets.chosen_pass(timeline.last, self.of)
        self.options.show("run", self.form, explanation, all=self.settings["all"], **self.picture.settings)

    def show(self, ran: Ran) -> None:
        """Print the findings and the timeline, in the form that is asked for."""
        timeline, error = ran.timeline, ran.error
        if self.form == "json":
            from gradcli.render.run.snippet_document import event, snippet_document
            from gradcli.render.text.streams import print_long_document

            name = "standard input" if self.file == "-" else self.file
            document = snippet_document(name, ran.printed, replace(timeline, events=()), error, ran.examined.findings)
            return print_long_document(document, "timeline", map(event, self.events(timeline)))
        timeline = replace(timeline, events=tuple(self.events(timeline)))
        if self.form != "text":
            return self.options.show("run", self.form, replace(ran, timeline=timeline), **self.settings)
        from gradcli.render.findings.text import findings_head
        from gradcli.render.run.timeline import timeline_page
        from gradcli.render.text.streams import print_text

        looks = self.options.looks
        page = timeline_page(timeline, looks, failed=error is not None, **self.settings)
        page = "\n\n".join(filter(None, [findings_head(ran.examined, looks), page]))
        gap = "\n" if page and not self.is_quiet and sys.stdout.isatty() else ""
        return print_text(gap + page)

    def events(self, timeline: Timeline) -> Iterable[Event]:
        """Return the events with the formulas that are to be shown."""
        from gradcli.script.timeline.passes import with_short_formulas

        return timeline.events if self.is_raw else map(with_short_formulas, timeline.events)
