"""Every form of every command with names, values and texts that would break it, generic over the registry of forms."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from gradcli.commands.forms import COMPARISON, FOLDER, FORMS, HANDOUT, INDEX, KEY, LINT, forms
from gradcli.source import visible
from tests.commands.running import document, gradcli
from tests.render.graph.pictures import SVG, TAGS
from tests.render.page.reading import read

SPECIAL = "evil%evil$evil&evil#evil_evil^evil~evil{evil}evil\\evil"
TEXT = f"</script></style></title><evil onclick='evil()'>evil</evil> {SPECIAL} \\evil{{x}} $evil$ ^^5cevil %%evil"
TEXT += " ]]>--> &lt;evil&gt; [evil](javascript:evil) ![evil](https://evil.example) `evil` | evil | **evil**"
TEXT += ' "; URL="evil" "] --> evil; click evil \\" \\N \\end{verbatim}\\end{document}\\evil'
HIDDEN = "\u202eevil\u2066\u200f\u061c\u2028\x85\x9b31m\x7f\ufeff"
NAMES = {
    "n" * 400: "1e308",
    "evil_evil": "nan",
    "input": "-1e-300",
    "תיבה": "inf",
    "x": "2",
    "script": "[1e308, nan, 0.5]",
}
PROGRAM = f"""\
# {TEXT}{HIDDEN}
end_document = {"n" * 400}*10 + evil_evil # {TEXT}
__proto__ = input*x + תיבה
end_document + __proto__*sum(script) + x # {HIDDEN}
"""
SNIPPET = f"""\
import torch
# {TEXT}{HIDDEN}
class Evil(torch.nn.Module):
    pass
{"n" * 400} = torch.tensor(1e30, requires_grad=True)
held = {{{TEXT!r}: {"n" * 400} * 1e30, "c": torch.tensor(float("nan"), requires_grad=True)}}
תיבה = held[{TEXT!r}] * held["c"] + (evil_evil := torch.tensor([2.0, 1e-30], requires_grad=True))
תיבה.sum().backward()
print({TEXT!r}, {HIDDEN + chr(27)!r} + "[31m", evil_evil.grad)
raise ValueError({TEXT + HIDDEN!r})
"""
WEEK = f"""\
title = {json.dumps(TEXT)}
[[question]]
id = "evil"
text = {json.dumps(TEXT + HIDDEN.replace(chr(0x7F), ""))}
program = {json.dumps(PROGRAM.replace(HIDDEN, ""))}
at = {{ {", ".join(f"{name if name.isascii() else json.dumps(name)} = {value}" for name, value in NAMES.items())} }}
ask = ["end_document", {{ quantity = "d__proto__/dinput", form = "expression" }}]
[[question]]
id = "plain"
text = "what?"
program = "q = {"n" * 400}**2"
at = {{ {"n" * 400} = 3 }}
ask = ["q", "dq/d{"n" * 400}"]
"""
ANSWERS = f"[evil]\nend_document = {TEXT}\n{TEXT}\n[plain]\nq = 9\ndq/d{'n' * 400} = \\input{{/etc/passwd}} {HIDDEN}\n"
STUDENT = "<evil onclick='evil()'> evil_evil%evil$evil \u202e{evil}.txt"
BINDINGS = [f"{name}={value}" for name, value in NAMES.items()]
ASKED = {
    **{name: [name, PROGRAM, *BINDINGS] for name in ("eval", "trace", "graph")},
    "run": ["run", f"{SPECIAL}.py"],
    "why": ["why", f"{SPECIAL}.py", "--exit-zero"],
    "plot": ["plot", f"x**2 + evil_evil # {TEXT}{HIDDEN}", "x=-1..1", "evil_evil=nan"],
    "check": ["check", "week.toml", f"answers/{STUDENT}"],
    LINT: ["check", "week.toml", "--lint"],
    KEY: ["check", "week.toml", "--key"],
    HANDOUT: ["check", "week.toml", "--handout"],
    FOLDER: ["check", "week.toml", "answers", "-o", "feedback/"],
    INDEX: ["check", "week.toml", "answers", "-o", "feedback/"],
}
ALL = [(command, name) for command in ASKED for name in forms(command)]
PLAIN = ("text", "tree", "json", "dot", "markdown", "github")  # in which a `<` is itself, or which are read as a whole
TEX = re.compile(r"evil[%$&#_^~{}\\]evil|\\evil|\^\^|(?<!\\)%|\\(input|include|write|openin|csname)\b")


class Tags(HTMLParser):
    """The elements of a page, each with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def assert_ours(self) -> None:
        for tag, attributes in self.found:
            assert tag not in ("evil", "iframe", "object", "img", "image")
            for name, value in attributes.items():
                assert not name.startswith("on")
                assert name not in ("href", "src", "xlink:href") or not re.match(r"\w+:", value)
                assert "evil" not in name


def page(text: str) -> None:
    read(text)
    tags = Tags(text)
    tags.assert_ours()
    scripts = [attributes.get("type") for tag, attributes in tags.found if tag == "script"]
    assert sorted(map(str, scripts)) in ([], ["None", "application/json", "application/json", "module"])


def markdown(text: str) -> None:
    """Rendered as GitHub does, and with markup let through, it holds none from outside."""
    Tags(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)).assert_ours()


def picture(text: str) -> None:
    """Only shapes and texts, and nothing that acts or leads elsewhere."""
    for element in ElementTree.fromstring(text).iter():
        assert element.tag.removeprefix(SVG) in TAGS | {"circle", "line", "polyline", "polygon"}
        assert not re.search(r"(^| )(on\w+|\S*href|style|id)( |$)", " ".join(element.attrib))


def bare(strings: str, text: str) -> None:
    """Outside quoted strings there is nothing from outside."""
    assert "evil" not in re.sub(strings, "", text)


def tex(text: str) -> None:
    """Beside whole lines of comment, no character from outside is one that TeX acts on."""
    assert not (found := TEX.search(re.sub("^%.*", "", text, flags=re.MULTILINE))), found


# What else is true of a form; the rest is asked of every form, also of one that comes later.
READERS: dict[str, Callable[[str], object]] = {
    "json": document,
    "html": page,
    "markdown": markdown,
    "svg": picture,
    "latex": tex,
    "beamer": tex,
    "dot": partial(bare, r'"(?:\\.|[^"\\])*"'),
    "mermaid": partial(bare, '"[^"<>]*(<br/>[^"<>]*)*"'),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answers").mkdir()
    files = {f"{SPECIAL}.py": SNIPPET, "week.toml": WEEK, f"answers/{STUDENT}": ANSWERS}
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")


def test_every_command_is_asked() -> None:
    assert {command for form in FORMS.values() for command in form.renderers} - {COMPARISON} == set(ASKED)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "name"), ALL)
def test_nothing_in_a_document_is_from_outside(capsys: pytest.CaptureFixture[str], command: str, name: str) -> None:
    done = gradcli(capsys, [*ASKED[command], "--format", name])
    assert done.code == (3 if command == "run" else 1 if command in ("check", LINT, FOLDER, INDEX) else 0)
    written = {FOLDER: "feedback", INDEX: "feedback-class"}.get(command)
    texts = [path.read_text(encoding="utf-8") for path in Path(written).iterdir()] if written else [done.out]
    printed = texts if (command, name) != ("run", "text") else []  # there a script prints as in Python
    for text in [*printed, done.err]:
        assert [line for line in text.split("\n") if visible(line) != line] == []
    for text in texts:
        assert text
        assert name in PLAIN or not re.search(r"</?evil", re.sub("^%.*", "", text, flags=re.MULTILINE))
        READERS.get(name, str)(text)
