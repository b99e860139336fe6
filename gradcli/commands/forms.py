"""The forms of the output: their names, the endings of files, and for each command the renderer that gives them.

A form is declared once, in `FORMS`. To give one to a command, write its renderer and name it there: a function that
takes the facts of the command, as the command gives them, and what is asked about looks. Nothing is imported before it
is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from gradcli.errors import UsageError
from gradcli.facts import dataclass

OWN = ""  # the command itself writes this form: as it goes, or as a document of its own
WHOLE = ("json", "html")  # forms that hold every node of torch
TEXTS = ("text", "tree")
CLASS = "check"
LINT = "check --lint"
KEY = "check --key"
COMPARISON = "run --compare"
HANDOUT = "check --handout"
FOLDER = "check -o FOLDER/"
INDEX = "check -o FOLDER/ index"  # of the class, which lies in another folder


@dataclass(frozen=True, slots=True)
class Form:
    """One form; `renderers` are by command, `module:function`, with the facts as arguments."""

    endings: tuple[str, ...]
    renderers: Mapping[str, str]


FORMS = MappingProxyType(
    {
        "text": Form(
            (".txt",),
            {
                **dict.fromkeys(("eval", "trace", "run", "why", CLASS, LINT, KEY, COMPARISON), OWN),
                FOLDER: "gradcli.render.check.feedback:feedback_text",
                HANDOUT: "gradcli.render.sheet.pages:sheet",
                "plot": "gradcli.render.plot.forms:text",
            },
        ),
        "tree": Form((".txt",), {"graph": "gradcli.render.graph.tree:tree"}),
        "json": Form(
            (".json",),
            {
                **dict.fromkeys(("eval", "trace", "graph", "run", "why", "plot", CLASS, LINT, KEY, COMPARISON), OWN),
                FOLDER: "gradcli.render.check.feedback:feedback_document",
            },
        ),
        "markdown": Form(
            (".md", ".markdown"),
            {
                "eval": "gradcli.render.markdown.pages:eval_page",
                "trace": "gradcli.render.markdown.pages:trace_page",
                "graph": "gradcli.render.markdown.pages:graph_page",
                "run": "gradcli.render.markdown.pages:run_page",
                KEY: "gradcli.render.markdown.key:key_page",
                FOLDER: "gradcli.render.check.feedback:feedback_page",
                INDEX: "gradcli.render.check.index:markdown_index",
                HANDOUT: "gradcli.render.sheet.pages:markdown_sheet",
            },
        ),
        "html": Form(
            (".html", ".htm"),
            {
                "eval": "gradcli.render.page.program:eval_page",
                "trace": "gradcli.render.page.program:trace_page",
                "graph": "gradcli.render.page.program:eval_page",
                "run": "gradcli.render.page.snippet.page:run_page",
                KEY: "gradcli.render.check.handout:key_page",
                FOLDER: "gradcli.render.check.student:student_page",
                INDEX: "gradcli.render.check.index:html_index",
                HANDOUT: "gradcli.render.sheet.pages:html_sheet",
            },
        ),
        "latex": Form(
            (".tex",),
            {
                "eval": "gradcli.render.latex.pages:eval_page",
                "trace": "gradcli.render.latex.pages:trace_page",
                "graph": "gradcli.render.latex.slides:graph_page",
                KEY: "gradcli.render.latex.key:key_page",
                HANDOUT: "gradcli.render.sheet.latex:latex_sheet",
            },
        ),
        "beamer": Form((), {"eval": "gradcli.render.latex.slides:beamer"}),
        "svg": Form(
            (".svg",),
            {
                **dict.fromkeys(("graph", "run"), "gradcli.render.graph.svg:svg"),
                "plot": "gradcli.render.plot.forms:svg",
            },
        ),
        "github": Form((), {"why": OWN}),
        "dot": Form((".dot", ".gv"), dict.fromkeys(("graph", "run"), "gradcli.render.graph.dot:dot")),
        "mermaid": Form((".mmd", ".mermaid"), dict.fromkeys(("graph", "run"), "gradcli.render.graph.mermaid:mermaid")),
    }
)
COMMANDS = tuple(dict.fromkeys(name.split()[0] for form in FORMS.values() for name in form.renderers))


def forms(command: str) -> dict[str, Form]:
    """Return the forms of a command by name, its usual one first."""
    return {name: form for name, form in FORMS.items() if command in form.renderers}


def chosen(command: str, name: str | None, path: str) -> str:
    """Return the form by name, or else by the file's ending, or else the usual one.

    Raises UsageError, with the available forms, for a form that the command does not have.
    """
    available = forms(command)
    ending = PurePath(path).suffix.lower()
    if name is not None:
        if name not in available:
            raise UsageError("E008", f"gradcli {command} has no form {name!r}", help=offered(command))
        return name
    if not ending or path == "-":
        return next(iter(available))
    form = by_ending(ending, available)
    if form is None:
        raise UsageError(
            "E008",
            f"gradcli {command} has no form for a file that ends in {ending}",
            help=offered(command, endings=True),
        )
    return form


def by_ending(ending: str, available: Mapping[str, Form]) -> str | None:
    return next((name for name, form in available.items() if ending in form.endings), None)


def offered(command: str, *, endings: bool = False) -> str:
    """Return a line that names the forms of a command, or how files of them end."""
    available = forms(command)
    if not endings:
        folder = " and ".join(name for name in forms(FOLDER) if name not in available) if command == CLASS else ""
        rest = f"; {folder} go into a folder, such as -o feedback/" if folder else ""
        return f"the forms are {', '.join(available)}{rest}"
    reports = "; for other tools add a report, such as --report csv" if command == CLASS else ""
    usual = ", ".join(form.endings[0] for form in available.values() if form.endings)
    return f"files end in {usual}; --format NAME names a form{reports}"


def renderer(command: str, name: str) -> Callable[..., str]:
    """Import the function that gives a form."""
    module, _, function = FORMS[name].renderers[command].partition(":")
    function_: Callable[..., str] = getattr(import_module(module), function)
    return function_


def options_help(command: str) -> tuple[str, str]:
    """Return the help of `-o` and of `--format` for a command."""
    names = [name for form in dict.fromkeys(_with_variants(command)) for name in forms(form)]
    listed = ", ".join(dict.fromkeys(names))
    return "Write to a file, in the form of its ending, whole or not at all.", f"The form: {listed}."


def _with_variants(command: str) -> Sequence[str]:
    return [command, *(name for form in FORMS.values() for name in form.renderers if name.startswith(f"{command} "))]


def asked(argv: Sequence[str]) -> str:
    """Return the form that a command line asks for, as far as can be seen before it is read; `text` where none is."""
    if "--json" in argv:
        return "json"
    if argv[:1] == [] or argv[0] not in COMMANDS or any(word.split("=")[0] == "--report" for word in argv):
        return "text"
    values: dict[str, Any] = {}
    for word, after in zip(argv, [*argv[1:], ""], strict=True):
        option, is_joined, value = word.partition("=")
        if option in ("-o", "--output", "--format"):
            values[option.replace("--output", "-o")] = value if is_joined else after
    ending = PurePath(values.get("-o", "")).suffix.lower()
    return values.get("--format") or by_ending(ending, FORMS) or "text"
