"""The memory of `gradcli check` does not grow with the number of students."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.homework.klass.course import questions
from tests.homework.klass.model import Asked
from tests.homework.klass.students import students
from tests.homework.klass.table import in_their_ways

CHILD = (
    "import resource, sys; from gradcli.cli import run\n"
    "run(sys.argv[1:])\n"
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
)
FEW, MANY = 8, 80


@pytest.mark.slow
def test_the_peak_is_flat(tmp_path: Path) -> None:
    asked = questions(3)[:5]
    (tmp_path / "class.toml").write_text("".join(map(Asked.toml, asked)), "utf-8")
    for student in students(asked, MANY, 3):
        for count in (FEW, MANY):
            folder = tmp_path / str(count)
            folder.mkdir(exist_ok=True)
            if len(list(folder.iterdir())) < count:
                (folder / f"{student.name}.txt").write_text(in_their_ways(student), "utf-8")
    few, many = (peak(tmp_path, count) for count in (FEW, MANY))
    assert many < 1.3 * few, f"{few} KB for {FEW} students, {many} KB for {MANY}"


def peak(folder: Path, count: int) -> int:
    """Return the most memory that a run took, in KB."""
    arguments = (
        "check",
        str(folder / "class.toml"),
        str(folder / str(count)),
        "--json",
        "-o",
        str(folder / "out.json"),
    )
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *arguments], capture_output=True, text=True, encoding="utf-8", check=True
    )
    return int(done.stderr.split()[-1])
