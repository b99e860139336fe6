"""Completion, as bash, zsh and fish ask for it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands.served import in_shell

ASKED = [
    ("gradcli ev", ["eval"]),
    ("gradcli eval --asc", ["--ascii"]),
    ("gradcli eval --format m", ["markdown"]),
    ("gradcli why --format gi", ["github"]),
    ("gradcli ops logsi", ["logsigmoid"]),
    ("gradcli schema form", ["formulas"]),
    ("gradcli practice si", ["sigmoid-neuron"]),
    ("gradcli check --report m", ["mistakes", "moodle"]),
    ("gradcli check --reveal v", ["verdict", "value"]),
    ("gradcli why --explain acc", ["accumulated"]),
    ("gradcli help E30", ["E300", "E301", "E302", "E303", "E304"]),
    ("gradcli help sch", ["schema"]),
    ("gradcli trace 'z=(x1+a*x2)**2' --to x", ["x1", "x2"]),
    ("gradcli grad 'y=a*b; z=y**2' --wrt a,", ["a,b"]),
    ("gradcli grad 'y=a*b; z=y**2' --of ", ["y", "z"]),
    ("gradcli grad 'y=(a' --of ", []),
]
Shell = Callable[[str], list[str]]


@pytest.fixture
def shells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Shell]:
    """The shells of this machine, each with gradcli on its path and its completion installed, in an empty folder."""
    (tmp_path / "gradcli").write_text(f'#!/bin/sh\nexec {in_shell()} "$@"\n')
    (tmp_path / "gradcli").chmod(0o755)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    return {shell: SHELLS[shell] for shell in SHELLS if shutil.which(shell)}


def script(shell: str) -> str:
    asked = ["gradcli", "--show-completion", shell]  # whichever shell asks
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout


def in_bash(line: str) -> list[str]:
    """What bash offers: its words are what lies between blanks and equals signs, with their quotes."""
    words = [word.replace("\\'", "'") for word in split_as_bash(line)]
    array = " ".join(f'"{word}"' for word in words)
    text = f"{script('bash')}\nCOMP_WORDS=({array}) COMP_CWORD={len(words) - 1}\n"
    text += "_gradcli_completion gradcli\nprintf '%s\\n' \"${COMPREPLY[@]}\""
    return subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True).stdout.split()


def split_as_bash(line: str) -> list[str]:
    quoted = line.split("'")
    if len(quoted) == 1:
        return line.split(" ")
    before, program, after = quoted
    return [*before.split(), f"'{program}'", *after.strip(" ").split(" "), *([""] if after.endswith(" ") else [])]


def in_fish(line: str) -> list[str]:
    text = f'{script("fish")}\ncomplete -C "{line}"'
    offered = subprocess.run(["fish", "--no-config", "-c", text], capture_output=True, text=True, check=True).stdout
    return [row.partition("\t")[0] for row in offered.splitlines()]


def in_zsh(line: str) -> list[str]:
    """What zsh is asked to offer: the function that would list it prints it."""
    words = " ".join('"' + word + '"' for word in split_as_bash(line))
    text = f"""compdef() {{ }}; _files() {{ }}; _arguments() {{ print -r -- "$1" }}
words=({words}); CURRENT=$#words
_gradcli() {{ {script("zsh")}
}}
_gradcli"""  # as the first Tab of a session loads and calls it
    done = subprocess.run(["zsh", "-f", "-c", text], capture_output=True, text=True, check=True)
    return re.findall(r'(?<!:)"([^"]+)"', done.stdout)  # each perhaps with its help behind a colon


SHELLS: dict[str, Shell] = {"bash": in_bash, "fish": in_fish, "zsh": in_zsh}


@pytest.mark.slow
@pytest.mark.parametrize(("line", "expected"), ASKED, ids=[line for line, _ in ASKED])
def test_completion(line: str, expected: list[str], shells: dict[str, Shell]) -> None:
    assert shells
    for shell, offers in shells.items():
        assert (shell, sorted(offers(line))) == (shell, sorted(expected))
