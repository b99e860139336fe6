"""`gradcli why`: the causes of what is wrong with gradients, the most suspicious first."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from gradcli.commands import completion
from gradcli.commands.declared import Argument, Option
from gradcli.commands.inputs import snippets
from gradcli.commands.options import ErrorFormat, Formed, Limited, one_of
from gradcli.errors import GradcliError, ProgramSyntaxError, UsageError

if TYPE_CHECKING:
    from gradcli.findings.examination import Examination

UNREADABLE = 3
PART = 0.8  # of the time is for the run: what it did until then is judged in the rest


def command(
    arguments: Annotated[
        list[str] | None,
        Argument(
            metavar="FILE|PROGRAM [NAME|NAME=VALUE]...",
            help="A .py, .ipynb or .md file and the tensors to ask about, or a program and its values.",
        ),
    ] = None,
    codes: Annotated[bool, Option("--codes", help="List the causes that are known.")] = False,
    explain: Annotated[
        str | None,
        Option("--explain", metavar="CODE", help="Tell about one cause.", autocompletion=completion.causes),
    ] = None,
    exit_zero: Annotated[bool, Option("--exit-zero", help="Exit with 0 whatever is found.")] = False,
    *,
    form: Formed,
    limits: Limited,
) -> int:
    """Say why a gradient is None, zero, nan, doubled or huge, and why a network does not learn.

    Exit 1 if there is an error or a warning, 3 if the snippet cannot be read.

    \b
    Examples:
      gradcli why lesson.py
      gradcli why lesson.ipynb w.grad
      gradcli why "log(softmax(x, dim=0))" x=[200,0]
      gradcli why --explain broadcast-loss
    """
    if codes or explain is not None:
        return catalogue(explain)
    if not arguments:
        raise UsageError("E002", "there is no snippet", help="give the path of one, such as gradcli why lesson.py")
    with form.opened("why", arguments[:1]) as name:
        examined = examine(arguments, limits)
        write(examined, name, form)
    if examined.error is not None and not examined.findings:
        if name != "json":
            raise examined.error
        return examined.error.exit_code
    return 0 if exit_zero or examined.is_clean else 1


def examine(arguments: list[str], limits: Limited) -> Examination:
    """Examine the snippet or the program that the arguments name, within its limits."""
    file, *names = arguments
    if file != "-" and not file.lower().endswith(snippets.ENDINGS):
        from gradcli.commands.inputs.programs import Program
        from gradcli.findings.examination import examine_program

        return examine_program(Program(arguments).explain(limits), file)
    from gradcli.findings.examination import examine as examined

    source = limits.begin(lambda: snippets.source_of(file))
    try:
        snippet = snippets.read_snippet_of(source)
        part = replace(limits, timeout=PART * limits.timeout)
        return examined(snippet, snippets.machine(part, unheard, hears=unheard), source.name, names)
    except GradcliError as error:
        raise unreadable(error) from None


def unheard(*_: object) -> None:
    """Drop what the snippet prints, and its warnings."""


def unreadable(error: GradcliError) -> GradcliError:
    """Return an error with the exit code for what cannot be read."""
    error.exit_code = UNREADABLE
    return error


def write(examined: Examination, name: str, form: Formed) -> None:
    """Print the findings in a form."""
    from gradcli.render.findings import text
    from gradcli.render.text.streams import print_document, print_text

    if isinstance(examined.error, ProgramSyntaxError):
        unreadable(examined.error)
    if name == "json":
        from gradcli.render.findings.text import findings_document

        return print_document(findings_document(examined))
    if name == "github":
        return print_text(text.github(examined))
    if form.error_format is ErrorFormat.concise:
        return print_text(text.concise(examined))
    if examined.findings or examined.error is None:
        print_text(text.findings_text(examined, form.looks))
    return None


def catalogue(code: str | None) -> int:
    """Print the codes, or the page of one."""
    from gradcli.findings.catalogue import CATALOGUE
    from gradcli.render.findings.text import catalogue_text, cause_text
    from gradcli.render.text.streams import print_text

    names = sorted(CATALOGUE)
    if code is None:
        print_text(catalogue_text(CATALOGUE[name] for name in names))
    else:
        print_text(cause_text(CATALOGUE[one_of("cause", code, names)]))
    return 0
