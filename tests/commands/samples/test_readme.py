"""The README, and those of the samples, print what comes out."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands.running import ROOT, gradcli
from tests.commands.served import in_shell

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "samples").glob("*/README.md"))]
WORDS = 2500


def consoles(page: Path) -> list[tuple[str, str]]:
    """The command lines of a page whose tools are here, each with what it says they print."""
    blocks = re.findall(r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    parts = [part.partition("\n") for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(command, printed) for command, _, printed in parts if all(map(shutil.which, tools(command)))]


def tools(command: str) -> set[str]:
    return set(re.findall(r"(?:^|\| )(\w+)", command)) - {"gradcli"}


EXAMPLES = list(dict.fromkeys(example for page in PAGES for example in consoles(page)))




@pytest.mark.slow
@pytest.mark.parametrize(("command", "printed"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_examples(command: str, printed: str) -> None:
    text = f'gradcli() {{ {in_shell()} "$@"; }}\n{command}'
    done = subprocess.run(["bash", "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    if "jq" in tools(command):  # whose versions write 14.0 or 14
        assert whole(done.stdout) == whole(printed)
    else:
        assert done.stdout == printed


def whole(text: str) -> str:
    """The text with whole numbers written as such."""
    return re.sub(r"\.0\b", "", text)


def test_every_sample_is_on_the_page_of_its_folder() -> None:
    for page in PAGES[1:]:
        text = page.read_text(encoding="utf-8")
        named = {path.name for path in page.parent.iterdir() if path.suffix in (".py", ".sh", ".toml", ".ipynb")}
        assert {name for name in named if name not in text} == set()


SHELLS = re.findall(r"^```sh\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
FIRST_HOUR = re.findall(r"^gradcli .*", SHELLS[1], re.MULTILINE)


def test_the_first_hour_begins_with_the_setting_up_and_ends_with_exercises() -> None:
    assert SHELLS[0].rstrip().endswith("&& . .venv/bin/activate && pip install .")
    assert [command.split()[1] for command in FIRST_HOUR] == ["eval", "why", "practice"]
    assert re.findall(r"!\[.*\]\((.*)\)", README) == ["samples/pictures/page.png"]
    assert (ROOT / "samples/pictures/page.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
@pytest.mark.parametrize("command", FIRST_HOUR)
def test_the_first_hour_can_be_typed(command: str, tmp_path: Path) -> None:
    text = f'gradcli() {{ {in_shell()} "$@"; }}\n{command.replace("z.html", str(tmp_path / "z.html"))}'
    done = subprocess.run(["bash", "-c", text], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode in ((1,) if " why " in command else (0,)), done.stderr


def test_the_readme_can_be_read_at_a_sitting() -> None:
    assert len(README.split()) <= WORDS


def test_the_options_are_those_of_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    table = README.partition("| option | meaning |")[2].partition("\n\n")[0]
    listed = set(re.findall(r"`(--?[a-z-]+)", table))
    shown = gradcli(capsys, "eval --help").out
    assert listed <= set(re.findall(r"--?[a-z][a-z-]*", shown))


def test_every_command_is_in_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    commands = re.findall(r"^  (\w+) ", gradcli(capsys, "--help").out.partition("Commands:")[2], re.MULTILINE)
    assert commands == re.findall(r"^\| `gradcli (\w+) ", README, re.MULTILINE)
