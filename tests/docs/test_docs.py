"""The pages of the documentation print what comes out, and their links lead somewhere; `tests.docs` builds them."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from gradcli.commands.parsing import COMMANDS
from gradcli.errors import CODES
from tests.commands.served import ROOT
from tests.docs.build import LINK, SAMPLES, checked, sources
from tests.docs.computed import SITE, code, pages, told_of_errors
from tests.docs.examples import lacking, run_page
from tests.docs.manual import manuals, roff

NEEDS = {"clusters.md": ("pandas", "polars", "pyarrow")}


@pytest.mark.parametrize("file", sources(), ids=lambda file: file.name)
def test_the_examples_of_a_page(file: Path, tmp_path: Path) -> None:
    for library in NEEDS.get(file.name, ()):
        pytest.importorskip(library)
    text = file.read_text(encoding="utf-8")
    if tools := lacking(text):
        pytest.skip(f"there is no {', '.join(tools)}")
    checked(file.name, text, run_page(text, tmp_path / "page"))


def test_every_error_has_an_example_that_ends_with_it_or_says_what_to_do(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    examples, advice = told_of_errors()
    assert sorted([*examples, *advice]) == sorted(CODES)
    page = "```console\n" + "\n".join(f"$ {command}" for command in examples.values()) + "\n```"
    printed = re.split(r"^\$ ", run_page(page, tmp_path / "page"), flags=re.MULTILINE)[1:]
    wrong = {
        expected: told
        for expected, told in zip(examples, printed, strict=True)
        if f"[{expected}]" not in told and f'"{expected}"' not in told
    }
    assert wrong == {}


def test_no_link_is_broken() -> None:
    texts = {**pages(), "changes.md": ""}
    texts |= {file.name: file.read_text(encoding="utf-8").replace("](../", "](samples/") for file in sources()}
    texts |= {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in SAMPLES}
    broken = [
        f"{name}: {target}"
        for name, text in texts.items()
        for target in LINK.findall(text)
        for place in [posixpath.normpath(posixpath.join(posixpath.dirname(name), target))]
        if place not in texts and not (place.startswith("samples/") and (ROOT / place).is_file())
    ]
    assert broken == []


def test_every_page_is_reached_from_the_navigation() -> None:
    navigation = (SITE / "mkdocs.yml").read_text(encoding="utf-8")
    assert [file.name for file in sources() if f": {file.name}" not in navigation] == []


def test_code_on_a_page_is_that_of_the_source() -> None:
    assert code("gradcli.engine.backward", "walk").startswith("def walk(\n")
    assert code("gradcli.ops.pointwise.arithmetic", "mul").startswith('mul = primitive(\n    "mul",')
    with pytest.raises(LookupError, match="declares no round_about"):
        code("gradcli.engine.backward", "round_about")


def test_every_command_has_a_manual_with_its_options() -> None:
    pages = {page.name: roff(page) for page in manuals()}
    assert list(pages) == ["gradcli", *(f"gradcli {name}" for name in COMMANDS)]
    assert "\\fB\\-h, \\-\\-help\\fR\nShow this message and exit.\n" in pages["gradcli eval"]
    assert "[default: 60]" in pages["gradcli run"]
    for page in pages.values():
        assert not re.search(r"^[.'](?!(TH|SH|TP|PP|BR|nf|fi)\b)", page, re.MULTILINE)


def test_roff_takes_a_line_for_what_it_is() -> None:
    from tests.docs.manual import Manual

    page = Manual("x", "x", "s", (".text with \\ and -o",), (), (), ())
    assert "\\&.text with \\e and \\-o\n" in roff(page)
