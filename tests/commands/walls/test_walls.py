"""Work of strangers in whole commands: limits hold inside one instruction, and an item costs itself alone."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.commands.running import ROOT, document
from tests.commands.served import COMMAND, served
from tests.programs import some

# What one instruction of C takes for ever over, with the line on which it stands.
ENDLESS = {
    "search": ("print('before')\n('a' * 10**6).rfind('ab' + 'a' * 400_000)", 2),
    "partial": (
        "import functools\nclass A:\n    __next__ = functools.partial(int, 1)\n    def __iter__(self): return self\n"
        "print(all(A()))",
        5,
    ),
    "sort": ("x = ['a' * 10**5 + str(i) for i in range(60)]\nwhile True: sorted(x * 5000)", 2),
    "collisions": ("s = set()\nfor j in range(10**6): s.update(i * (2**61 - 1) for i in range(10**5))", 2),
    "shared nesting": (
        "x, y = {}, {}\nfor _ in range(40):\n    x = {1: x, 2: x}\n    y = {1: y, 2: y}\nprint(x.items() == y.items())",
        5,
    ),
    "parsing": ("f'" + "{1}" * 300_000 + "'", None),
    "a generator": ("def f():\n    yield ('a' * 10**6).rfind('ab' + 'a' * 400_000)\nlist(f())", 2),
    "a lambda": ("f = lambda: ('a' * 10**6).rfind('ab' + 'a' * 400_000)\nx = 1\nf()", 1),
    "a condition": ("x = 0\nwhile ('a' * 10**7).rfind('ab' + 'a' * 4_000_000):\n    x = 1", 2),
}
C = ("partial", "sort", "collisions", "shared nesting")  # of one kind: in C, where nothing looks at the clock


def gradcli(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run([*served(), *arguments], input=text, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*some(C, 3), *(name for name in ENDLESS if name not in C)])
def test_no_instruction_of_a_snippet_escapes_the_clock(name: str) -> None:
    text, line = ENDLESS[name]
    done = gradcli("run", "-", "--timeout", "0.25", text=text)
    assert done.returncode == 3
    assert done.stderr.startswith("error[E403]: ")
    assert " more than 0.25 s\n" in done.stderr
    assert line is None or f" --> standard input:{line}:" in done.stderr
    assert done.stdout == ("before\n" if name == "search" else "")


@pytest.mark.slow
def test_a_document_about_the_clock() -> None:
    done = gradcli("run", "-", "--json", "--timeout", "0.3", text=ENDLESS["search"][0])
    told = document(done.stdout)
    assert done.returncode == 3
    assert (told["error"]["code"], told["error"]["line"]) == ("E403", 2)


@pytest.mark.slow
@pytest.mark.parametrize("command", some(["eval", "verify"], 2))
def test_the_commands_on_a_program_have_a_clock_and_a_memory(command: str) -> None:
    long = "y = x; " + "; ".join(["y = sin(y)*x + y"] * 25_000)
    late = gradcli(command, "-f", "-", "x=1", "--timeout", "0.3", text=long)
    assert (late.returncode, late.stdout) == (3, "")
    assert late.stderr.startswith("error[E403]: this takes more than 0.3 s")
    large = gradcli(command, "-f", "-", "x=1", "--max-memory", "100M", text=long)
    assert (large.returncode, large.stdout) == (3, "")
    assert large.stderr.startswith("error[E")


@pytest.mark.slow
def test_pages_are_written_within_the_time() -> None:
    text = "import torch\nx = torch.ones(1, requires_grad=True)\nfor i in range(1500):\n    (x * 2).sum().backward()\n"
    done = gradcli("run", "-", "--explain", "--all", "--timeout", "0.5", text=text * 2)
    assert done.returncode == 3
    assert " more than 0.5 s\n" in done.stderr


@pytest.mark.slow
def test_a_page_is_cut_and_a_document_refused() -> None:
    whole = gradcli("eval", "x**2", "x=3")
    cut = gradcli("eval", "x**2", "x=3", "--max-output", "100")
    assert cut.returncode == 0
    assert whole.stdout.startswith(cut.stdout)
    assert cut.stdout.endswith("\n")
    assert 0 < len(cut.stdout.encode()) <= 100
    assert "was cut; --max-output SIZE allows more" in cut.stderr
    refused = gradcli("eval", "x**2", "x=3", "--max-output", "100", "--json")
    assert refused.returncode == 3
    assert document(refused.stdout)["error"]["code"] == "E403"


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--max-memory", "--max-output", "--timeout"])
@pytest.mark.parametrize("value", ["none", "-1", "1X", ""])
def test_limits_that_are_none(option: str, value: str) -> None:
    done = gradcli("eval", "x**2", "x=3", option, value)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error[E001]: ")


HANGS = "sum(stack([" + ", ".join(["x"] * 20_000) + "]))"


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_record_that_hangs_costs_itself_alone(jobs: str) -> None:
    good = '{"program": "x**2", "at": {"x": 3}, "id": 1}'
    records = [good, f'{{"program": "{HANGS}", "at": {{"x": 1}}, "id": 7}}', good, "", good]
    done = gradcli("batch", "--each", "--item-timeout", "0.2", "--jobs", jobs, text="\n".join(records))
    first, lost, *others = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 4
    assert [one["value"] for one in (first, *others)] == [9.0, 9.0, 9.0]
    assert (lost["ok"], lost["error"]["code"], lost["error"]["line"]) == (False, "E403", 2)
    assert lost["record"] == {"id": 7}


@pytest.mark.slow
@pytest.mark.parametrize("command", [("eval", "x**2", "x=1"), ("run", "lesson.py"), ("check", "week.toml", "ada.txt")])
def test_a_file_beside_a_command_is_no_module_of_its(command: tuple[str, ...], tmp_path: Path) -> None:
    for module in ("copy", "decimal", "json", "lark", "numbers", "numpy", "random", "rich", "statistics", "tomllib"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('executed')")
    (tmp_path / "lesson.py").write_text("import random\nprint(1)")
    (tmp_path / "week.toml").write_text(
        '[[question]]\nid = "q"\nprogram = "y = x**2"\nat = { x = 3 }\nask = ["dy/dx"]\n'
    )
    (tmp_path / "ada.txt").write_text("[q]\ndy/dx = 6\n")
    done = subprocess.run([*COMMAND, *command], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
