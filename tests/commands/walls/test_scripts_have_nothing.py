"""A script that has broken out finds no key, no hand-in and no other script where it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.commands.forms import KEY, forms
from gradcli.workers.sandbox import lock
from tests.programs import some

pytestmark = pytest.mark.skipif(not lock.IS_LINUX, reason="the memory of a process is read as Linux has it")

# Before it locks itself, each process says what it finds in its memory of what others have written; scripts then run.
DOOR = r"""
import os, re, sys
from gradcli.__main__ import main
from gradcli.homework.solve.runs import scripts
from gradcli.workers import asking, worker

confine, run, found = worker.confine, scripts.run, []

def looking(*arguments):
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as memory:
        for line in maps:
            place, mode, *_ = line.split()
            start, end = (int(one, 16) for one in place.split("-"))
            if mode.startswith("rw") and not line.rstrip().endswith(("[vvar]", "[vsyscall]")):
                try:
                    memory.seek(start)
                    found.extend(set(re.findall(rb"o[f]-a-\w+-\d{4}", memory.read(end - start))))
                except OSError:
                    pass
    if asking._ways:
        say("grades")
    return confine(*arguments)

def say(what):
    os.write(ASKED, (" ".join([what, *sorted({one.decode() for one in found})]) + "\n").encode())

def broken_out(*arguments, **keywords):
    say("runs")
    return run(*arguments, **keywords)

ASKED = int(sys.argv.pop())
forbid = worker.forbid_writing
worker.forbid_writing = lambda descriptors: forbid([*descriptors, ASKED])
worker.confine, scripts.run = looking, broken_out
main()
"""
ASSIGNMENT = """\
title = "of-a-title-1001"
[[question]]
id = "first"
script = '''
import torch
a = torch.tensor(3.0, requires_grad=True)
(a ** 2).backward()
print("of-a-script-1002")
'''
ask = ["a.grad"]
[[question]]
id = "second"
script = '''
import torch
b = torch.tensor(2.0, requires_grad=True)
(b ** 3).backward()
print("of-a-script-1003")
'''
ask = ["b.grad", { quantity = "Which", choices = ["of-a-choice-1004", "no"], answer = 1 }]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        ["check", "week.toml", "answers/", "--json"],
        ["practice", "week.toml", "--json"],
        *(["check", "--key", "week.toml", "--format", form] for form in some(forms(KEY), 3)),
    ],
    ids=" ".join,
)
def test_a_script_has_itself_alone(tmp_path: Path, line: list[str]) -> None:
    (tmp_path / "week.toml").write_text(ASSIGNMENT, encoding="utf-8")
    (tmp_path / "answers").mkdir()
    for number in range(2):
        text = (
            f"[first]\na.grad = 1\n[second]\nb.grad = 7\n# of-a-student-200{number}\nWhich = of-a-student-300{number}\n"
        )
        (tmp_path / "answers" / f"s{number}.txt").write_text(text, encoding="utf-8")
    end, start = os.pipe()
    typed, env = b'{"answer": "of-a-student-4000"}\n' * 3, {**os.environ, "CI_SECRET": "of-a-secret-5000"}
    command = [sys.executable, "-c", DOOR, *line, str(start)]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, check=False, pass_fds=[start], input=typed, env=env
    )
    os.close(start)
    with os.fdopen(end, encoding="utf-8") as stream:
        seen = stream.read().splitlines()
    assert done.returncode in (0, 1), done.stderr
    assert b"a.grad" in done.stdout
    of_grading = [one for one in seen if one.startswith("grades ")]
    assert "of-a-title-1001" in of_grading[0]  # the door sees what is there
    of_scripts = [one for one in seen if one.startswith("runs")]
    assert len(of_scripts) >= 2
    assert set(of_scripts) <= {"runs", "runs of-a-secret-5000"}  # the lock empties the environment, behind the look
