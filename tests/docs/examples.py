"""The examples of a page, run in their order: what comes out is what stands there.

    ```console            each line behind `$ ` in a shell, its output below it
    ```pycon              each line behind `>>> ` in one namespace for the page
    ```python             the same, printing nothing
    ```toml week1.toml    a file, for what follows

All blocks of a page share a folder. Blocks of other kinds are not run.
"""

from __future__ import annotations

import contextlib
import io
import re
import shutil
import subprocess
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.commands.served import ROOT, in_shell

FENCE = re.compile(r"^```(?P<kind>[\w-]+)(?: (?P<name>\S+))?\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ (.*(?:\n> .*)*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
PROMPT = re.compile(r"^>>> .*\n(?:\.\.\..*\n)*", re.MULTILINE)
BETWEEN = "\x1e"  # what no command prints
SHELLS = ("console", "shell-session")
SETTINGS = "export LC_ALL=C.UTF-8 NO_COLOR=1; exec 2>"


@dataclass(frozen=True)
class Page:
    """The text of a page, the folder in which its examples run, and whether it shows what is on standard error."""

    text: str
    folder: Path
    shows_errors: bool = True

    def run(self) -> str:
        """Return the text with what its examples print now."""
        names: dict[str, Any] = {}

        def run(block: re.Match[str]) -> str:
            kind, name, text = block["kind"], block["name"], block["text"]
            if name:
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / name).write_text(text, encoding="utf-8")
            elif kind in SHELLS:
                text = "".join(self.in_shell(text))
            elif kind == "pycon":
                text = "".join(in_python(text, names, self.folder))
            elif kind == "python":
                with contextlib.chdir(self.folder):
                    exec(compile(text, "<python of the page>", "exec"), names)
            return f"```{kind}{f' {name}' if name else ''}\n{text}```"

        return FENCE.sub(run, self.text)

    def in_shell(self, text: str) -> Iterator[str]:
        """Yield the command lines of a block, each with what it prints, its errors too."""
        commands = [command.replace("\n> ", "\n") for command, _ in COMMAND.findall(text)]
        errors = "&1" if self.shows_errors else "/dev/null"
        after = f"\ncode=$?; printf '{BETWEEN}'; (exit $code)\n"
        script = f'gradcli() {{ {in_shell()} "$@"; }}\n{SETTINGS}{errors}\n{after.join([*commands, ""])}'
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, capture_output=True, text=True, check=False)
        for command, printed in zip(commands, done.stdout.split(BETWEEN), strict=False):
            yield "$ " + command.replace("\n", "\n> ") + "\n"
            yield printed if printed.endswith("\n") or not printed else f"{printed}\n"


def in_python(text: str, names: dict[str, Any], folder: Path) -> Iterator[str]:
    """Yield the lines of a session, each with what it shows or raises."""
    for typed in PROMPT.findall(text):
        yield typed
        source = re.sub(r"^(?:>>>|\.\.\.) ?", "", typed, flags=re.MULTILINE)
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()) as printed:
            try:
                exec(compile(source, "<session>", "single"), names)
            except Exception as error:
                print("Traceback (most recent call last):\n  ...")
                print("".join(traceback.format_exception_only(error)), end="")
        yield printed.getvalue()


def run_page(text: str, folder: Path, *, shows_errors: bool = True) -> str:
    """Return a page with what its examples print in an empty folder, in which the samples are."""
    folder.mkdir(parents=True)
    (folder / "samples").symlink_to(ROOT / "samples")
    return Page(text, folder, shows_errors).run()


def lacking(text: str) -> set[str]:
    """Return the tools of the examples that are not on this machine."""
    blocks = [block["text"] for block in FENCE.finditer(text) if block["kind"] in SHELLS]
    commands = [command for block in blocks for command, _ in COMMAND.findall(block)]
    tools = {tool for command in commands for tool in re.findall(r"(?:^|[|&] )([a-z]+)", command)} - {"gradcli"}
    return {tool for tool in tools if shutil.which(tool) is None}
