"""Builds the site: the pages of `samples/site`, those of the samples, and the computed ones, by MkDocs."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.commands.served import ROOT
from tests.docs.computed import SITE, pages, with_sources
from tests.docs.examples import FENCE, Page, run_page

LINK = re.compile(r"(?<!\\)\]\((?!\w+:|#)([^)#\s]+)")
SAMPLES = sorted((ROOT / "samples").glob("*/README.md"))


class StaleError(Exception):
    """A page says what its examples do not print."""


def sources() -> list[Path]:
    """Return the pages that are written by hand, but for those that wait for computed parts."""
    return sorted(SITE.glob("*.md"))


def built(site: Path) -> None:
    """Build the site into a folder. Raises StaleError, and SystemExit of MkDocs for a link that leads nowhere."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder, "docs")
        write(docs, Path(folder, "examples"))
        options = {"docs_dir": str(docs), "site_dir": str(site.absolute()), "strict": True}
        build(load_config(str(SITE / "mkdocs.yml"), **options))


def write(docs: Path, examples: Path) -> None:
    """Write every page, with what its examples print, and the files that pages lead to."""
    waiting = {file.name: file.read_text(encoding="utf-8") for file in sources()}
    computed = pages()
    with ThreadPoolExecutor(3) as pool:  # Python's own blocks need the folder: they stand on pages by hand
        ran = dict(
            zip(computed, pool.map(lambda name: run_page(computed[name], examples / name), computed), strict=True)
        )
    for name, text in waiting.items():
        page = checked(name, text, run_page(text, examples / "by hand" / name))
        ran.setdefault(name, page)
    for page in SAMPLES:
        name = str(page.relative_to(ROOT))
        ran[name] = checked(name, text := page.read_text(encoding="utf-8"), run_sample(page, text, examples / name))
        for target in linked(page, text):
            if target.is_file() and target.suffix != ".md":
                copied = docs / target.relative_to(ROOT)
                copied.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(target, copied)
    ran["changes.md"] = (ROOT / ".github" / "CHANGELOG.md").read_text(encoding="utf-8")
    for name, text in ran.items():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(shown(name, text), encoding="utf-8")
    shutil.copy(SITE / "site.css", docs / "site.css")
    (docs / "code.css").write_text(styles(), encoding="utf-8")


def run_sample(page: Path, text: str, folder: Path) -> str:
    """Return the page of a sample with what its examples print; sessions run in its own folder."""
    if "```shell-session" in text:
        shutil.copytree(page.parent, folder)
        return Page(text, folder, shows_errors=False).run()
    return run_page(text, folder, shows_errors=False)


def checked(name: str, expected: str, actual: str) -> str:
    """Return the page; StaleError where it does not say what its examples print."""
    for said, printed in zip(FENCE.finditer(expected), FENCE.finditer(actual), strict=True):
        if whole(said["text"]) != whole(printed["text"]):
            raise StaleError(
                f"{name} says\n\n{said['text']}\nand its examples print\n\n{printed['text']}\n"
                "if that is right, python -m tests.docs --update writes it into the pages of samples/site"
            )
    return expected


def whole(text: str) -> str:
    """Return a text with whole numbers written as such: versions of jq differ."""
    return re.sub(r"\.0\b", "", text)


def updated() -> Iterator[Path]:
    """Write what the examples print into the pages that are written by hand; yield those that were others."""
    for file in sources():
        text = file.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            new = run_page(text, Path(folder, "page"))
        if new != text:
            file.write_text(new, encoding="utf-8")
            yield file


def linked(page: Path, text: str) -> Iterator[Path]:
    """Yield what the links of a page lead to, in the checkout."""
    for target in LINK.findall(text):
        yield (page.parent / target).resolve()


def shown(name: str, text: str) -> str:
    """Return a page as MkDocs reads it: the names of files above their blocks, and links to samples where these are."""

    def block(found: re.Match[str]) -> str:
        file = f"<p class=file>{found['name']}</p>\n\n" if found["name"] else ""
        return f"{file}```{found['kind'].replace('shell-session', 'console')}\n{found['text']}```"

    text = FENCE.sub(block, with_sources(text))
    return text if "/" in name else text.replace("](../", "](samples/")


def styles() -> str:
    """Return the colours of code, by day and by night."""
    from pygments.formatters import HtmlFormatter

    day, night = (HtmlFormatter(style=name).get_style_defs(place) for name, place in (
        ("friendly", ".codehilite"), ("github-dark", "[data-bs-theme=dark] .codehilite")
    ))  # fmt: skip
    return f"{day}\n{night}\n"
