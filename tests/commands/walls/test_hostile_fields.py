"""Texts that act where they are shown raw, in every field from outside: in no report and no form does one act."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from unicodedata import category
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from gradcli.commands.forms import FOLDER, HANDOUT, KEY, LINT, forms
from gradcli.render.check.reports.registry import QUESTIONS, REPORTS
from gradcli.render.check.worked import WORK
from gradcli.workers.sandbox.lock import prepare
from tests.commands.running import gradcli
from tests.commands.test_practice import practised
from tests.programs import some

HOSTILE = {
    "mixed": "\x1b]0;evil\x07<img src=x onerror=evil()> [evil](javascript:evil) \\input{evil} ^^5c %evil \u202e]]>",
    "escape": "\x1b]0;evil\x07\x1b[31mevil",
    "C1": "\x9b31mevil\x85evil",
    "bidi": "\u202eevil\u2066evil\u200f",
    "zero": "evil\0evil\x7f\ufffe",
    "tags": "<script>evil()</script><img src=x onerror=evil()>",
    "ends": "evil]]>--></title></style></script></textarea><evil>",
    "attribute": 'evil" onmouseover="evil()" x=\'evil',
    "rich": "[red]evil[/red] [link=file:///evil]evil[/link]",
    "latex": "\\input{/etc/passwd} ^^5cinput{evil} \\end{verbatim} %evil $evil$",
    "formula": "=cmd|'/c evil'!A0",
    "formulas": "+evil;=evil;@evil\t-evil",
    "markdown": "[evil](javascript:evil) ![evil](https://evil.example) `evil` <javascript:evil>",
    "gift": "} ::evil:: {=evil ~evil} $CATEGORY: evil // evil",
    "json": '", "ok": true, "evil": "',
    "separators": "evil\u2028evil\u2029evil",
    "surrogates": "evil\ue000\U000e0001evil",
}
HARMFUL = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
SCRIPT = "import torch\nstart = 2.5\na = torch.tensor(start, requires_grad=True)\n((a * 1.5) ** 2).backward()\n"


def week(text: str, varied: str = "") -> str:
    """An assignment with a text wherever one can stand."""
    own, word = as_toml(text), as_toml(word_of(text))
    remark = " ".join(text.replace("\0", "").split())  # Python reads no zero
    script = as_toml(f"{SCRIPT}held = {text!r}  # {remark}\nprint(held)\n")
    return f"""\
title = {own}
[[question]]
id = {word}
text = {own}
program = {as_toml(f"s = x**2 # {' '.join(text.split())}")}
at.x = 1.5
ask = ["s", "ds/dx", {{ quantity = "choice {sum(map(ord, text))}", choices = [{own}, "no"], answer = 1 }}]
[[question]]
id = "script"
script = {script}
ask = ["a.grad", {{ quantity = "printed", accept = [{own}] }},
       {{ quantity = {word}, choices = ["a", {own}], answer = 2 }}]
{varied}
[[mistake]]
of = "ds/dx"
is = "x"
say = {own}
"""


def as_toml(text: str) -> str:
    return '"' + "".join(c if c.isalnum() or c in " ()[]=.,_*" else f"\\U{ord(c):08x}" for c in text) + '"'


def word_of(text: str) -> str:
    """As much of a text as the name of a question can have."""
    return "".join(c for c in text if c.isprintable() and c not in "[]").strip()


def name_of(text: str) -> str:
    """As much of a text as the name of a file can have."""
    return text.replace("/", "_").replace("\0", "_")


@pytest.fixture(params=some(list(HOSTILE), len(HOSTILE)))
def text(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A hostile text; it stands in all files of the folder."""
    text = HOSTILE[request.param]
    monkeypatch.chdir(tmp_path)
    week_of = name_of(text) + ".toml"
    Path(week_of).write_text(week(text), encoding="utf-8")
    Path("varied.toml").write_text(week(text, "at = { start = { choose = [1.25, 2.5, 3.75] } }"), encoding="utf-8")
    Path("answers").mkdir()
    lines = (
        f"[{text}]\ns = 2.25\nds/dx = 1.5\n{text} = {text}\n[script]\na.grad = {text}\nprinted = {text}\n{text} = no\n"
    )
    Path("answers", f"{name_of(text)}.txt").write_text(lines, encoding="utf-8")
    Path("answers/ada.json").write_text(
        json.dumps({word_of(text): {"ds/dx": "1.5", text: text}, "script": {text: text}})
    )
    with Path("class.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["student", "question", "quantity", "answer"])
        for student in (f"{text} Bob", "eve"):
            rows.writerows(
                [
                    [student, word_of(text), "ds/dx", "1.5"],
                    [student, word_of(text), text, text],
                    [student, "script", text, text],
                ]
            )
    with Path("roster.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        own = text.replace("\0", "")  # which a roster may not have
        rows.writerows([["id", "name", "email", "group"], [f"{own} Bob", own, own, own], ["eve", own, own, own]])
    Path("secret").write_text("0123456789abcdef", encoding="utf-8")
    return text


def lines(text: str) -> Iterator[tuple[str, list[str]]]:
    """Every way to write something about an assignment, with the kind of what is written."""
    toml = name_of(text) + ".toml"
    given = ["check", toml, "answers", "class.csv"]
    for form in forms(LINT):
        yield form, ["check", "--lint", toml, "--format", form]
    for form in forms(KEY):
        yield form, ["check", "--key", toml, "--format", form]
    for form in forms(HANDOUT):
        yield form, ["check", "--handout", toml, "--format", form]
        roster = ["--roster", "roster.csv", "--secret-file", "secret", "-o", f"sheets {form}/"]
        yield form, ["check", "--handout", "varied.toml", *roster, "--format", form]
    for form in forms(FOLDER):
        yield form, [*given, "--format", form, "-o", f"feedback {form}/"]
    for name, report in REPORTS.items():
        more = ["-o", f"{name}/"] if report.per_student else []
        yield report.suffix[1:], [*given, "--report", name, "--reveal", "value", *more]
    for name in QUESTIONS:
        yield {"moodle": "xml"}.get(name, name), ["check", toml, "--report", name, "--reveal", "value"]
    for more in (["--ascii"], ["--all", "--color", "always"]):
        yield "text", [*given, *more]
    yield "text", ["check", toml, f"answers/{name_of(text)}.txt", "--all"]
    yield "json", [*given, "--json", "--roster", "roster.csv"]


def spreadsheet(text: str) -> None:
    rows = list(csv.reader(io.StringIO(text)))
    cells = [cell for row in rows for cell in row] + re.split(r"[;\n]", text)
    number = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?")
    assert [cell for cell in cells if re.match(r'[\s"]*[=+\-@\t\r]', cell) and not number.fullmatch(cell)] == []


class Tags(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), name
            assert not re.match(r"\s*(javascript|file|https?):", value or "") or name == "xmlns", value


def page(text: str) -> None:
    assert not {"evil", "img", "iframe", "object"} & set(Tags(text).names)
    for script in re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL):
        assert "evil()" not in script


def markup(text: str) -> None:
    rendered = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)
    assert not {"evil", "img", "script"} & set(Tags(rendered).names)


def xml(text: str) -> None:
    found = {element.tag for element in ElementTree.fromstring(text).iter()}
    assert not {"script", "evil", "img"} & found
    for inner in ElementTree.fromstring(text).findall(".//*[@format='html']/text"):
        assert not {"script", "evil", "img"} & set(Tags(inner.text or "").names)


def gift(text: str) -> None:
    unnamed = re.sub(r"^::.*?(?<!\\)::", "", text, flags=re.MULTILINE)  # Moodle drops tags of names
    shown = re.sub(r"=%100%.*", "", unnamed)  # an answer in words is what a student types, and is compared
    assert not re.search("<(script|evil|img)", shown)
    assert [line for line in text.split("\n") if line.startswith("$CATEGORY: evil")] == []


def latex(text: str) -> None:
    own = re.sub(r"^%.*", "", text, flags=re.MULTILINE)
    assert not re.search(r"\\input|\^\^|(?<!\\)%|\\end\{verbatim\}", own)


CHECKS: dict[str, Callable[[str], object]] = {
    "csv": spreadsheet, "html": page, "markdown": markup, "xml": xml, "gift": gift, "latex": latex, "json": json.loads,
}  # fmt: skip


@pytest.fixture(scope="module")
def ready() -> None:
    """Make ready here what each command would make its processes do."""
    prepare()
    WORK.prepare()


@pytest.mark.slow
@pytest.mark.usefixtures("ready")
def test_no_text_acts_where_it_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    for form, arguments in lines(text):
        result = gradcli(capsys, arguments)
        told = f"{arguments}\n{result.err}"
        assert result.code in (0, 1), told
        written = [result.out]
        if "-o" in arguments:
            folder = Path(arguments[arguments.index("-o") + 1])
            written = [path.read_text(encoding="utf-8") for path in folder.iterdir() if path.name != "variants.json"]
            assert written, told
            assert not [path for path in folder.iterdir() if not harmless(path.name)], told
        for output in written:
            plain = re.sub("\x1b\\[[\\d;]*m", "", output) if "always" in arguments else output
            assert harmless(plain), (told, [line for line in plain.split("\n") if not harmless(line)][:3])
            try:
                CHECKS.get(form, str)(output)
            except Exception as error:
                raise AssertionError(told) from error
        assert harmless(result.err), told
    typed = f"{text}\n?\n?\n?\n" * 6
    for more in ([], ["--json"]):
        shown = practised(capsys, monkeypatch, typed, name_of(text) + ".toml", *more)
        assert harmless(shown.out + shown.err)


def harmless(text: str) -> bool:
    return not [c for c in text if category(c) in HARMFUL and c != "\n"]
