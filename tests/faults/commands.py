"""The commands that faults happen to: every way in which `batch` and `check` write results, and files for them."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[2]
HOMEWORK = ROOT / "samples" / "homework"
POINTS, PROGRAMS, STUDENTS = 8000, 600, 14
PROGRAM = "z=(x1+a*x2)**2"
OWN = ("sin(x)*x", "x**2 + y", "log(x*y)", "sum(stack([x, y])**2)", "x +* y")  # the last is no program
LINES, JSON, XML, PAGE, FOLDER = "lines", "json", "xml", "page", "folder"


@dataclass(frozen=True)
class Command:
    """A command line; `shape` is that of its results, which go to `output` or, where that is empty, to standard output.

    `inputs` are what it reads; one that is `fed` comes through standard input. With `is_piped` standard output is a
    pipe, else a file. `has_workers` where other processes compute.
    """

    words: tuple[str, ...]
    shape: str
    inputs: tuple[str, ...]
    output: str = ""
    fed: str = ""
    is_piped: bool = False
    has_workers: bool = True

    @property
    def group(self) -> str:
        return self.words[0]

    @property
    def is_compressed(self) -> bool:
        return self.output.endswith(".gz")

    def arguments(self, output: str | None = None) -> list[str]:
        """The arguments, perhaps with another place for the results."""
        place = self.output if output is None else output
        return [*self.words, "-o", place] if place else list(self.words)

    def __str__(self) -> str:
        into = "" if self.output else " | reader" if self.is_piped else " > file"
        return " ".join(self.arguments()) + (f" < {self.fed}" if self.fed else "") + into


def batches() -> Iterator[Command]:
    for kind, jobs in ((kind, jobs) for kind in ("jsonl", "csv", "each") for jobs in ("1", "3")):
        ending = "csv" if kind == "csv" else "jsonl"
        name = "programs.jsonl" if kind == "each" else f"points.{ending}"
        words = ("batch", "--each" if kind == "each" else PROGRAM, "--jobs", jobs)
        has_workers = kind == "each" or jobs == "3"
        for output in (f"results.{ending}", f"results.{ending}.gz", ""):
            yield Command((*words, "-i", name), LINES, (name,), output, has_workers=has_workers)
        packed = f"{name}.gz"
        yield Command((*words, "-i", packed), LINES, (packed,), f"results.{ending}", has_workers=has_workers)
        for is_piped in (False, True):
            fed = (*words, "--format", ending)
            yield Command(fed, LINES, (name,), fed=name, is_piped=is_piped, has_workers=has_workers)


def checks() -> Iterator[Command]:
    for jobs in ("1", "3"):
        for place in ("answers", "class.csv"):
            words, inputs = ("check", "week1.toml", place, "--jobs", jobs), ("week1.toml", place)
            for is_piped in (False, True):
                yield Command(words, PAGE, inputs, is_piped=is_piped)
                yield Command((*words, "--all"), PAGE, inputs, is_piped=is_piped)
                yield Command((*words, "--json"), JSON, inputs, is_piped=is_piped)
                yield Command((*words, "--report", "csv"), LINES, inputs, is_piped=is_piped)
            yield Command((*words, "--report", "csv"), LINES, inputs, "grades.csv")
            yield Command((*words, "--report", "mistakes"), PAGE, inputs, "mistakes.csv")
            yield Command((*words, "--report", "junit"), XML, inputs, "grades.xml")
            yield Command((*words, "--report", "gradescope"), FOLDER, inputs, "reports/")
            yield Command(("check", "-", *words[2:], "--json"), JSON, inputs, fed="week1.toml", is_piped=True)


COMMANDS = [*batches(), *checks()]


def make_inputs(folder: Path, part: int) -> None:
    """Write the files that the commands read, or one part in so many of each."""
    random = Random(0)
    points = [[random.uniform(-3, 3) for _ in range(3)] for _ in range(POINTS // part)]
    rows = ["x1,a,x2", *(",".join(map(str, point)) for point in points)]
    lines = [json.dumps(dict(zip(("x1", "a", "x2"), point, strict=True))) for point in points]
    programs = [
        {"id": number, "program": OWN[number % len(OWN)], "at": {"x": number / 7 + 0.1, "y": 2.0}}
        for number in range(PROGRAMS // part)
    ]
    for name, texts in (("points.csv", rows), ("points.jsonl", lines), ("programs.jsonl", map(json.dumps, programs))):
        (folder / name).write_text("".join(f"{text}\n" for text in texts), "utf-8")
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes(), mtime=0))
    make_class(folder, random, STUDENTS // part)


def make_class(folder: Path, random: Random, students: int) -> None:
    """Write a class as files and as a table; a number in ten is another one than in the samples."""
    shutil.copy(HOMEWORK / "chain_rule.toml", folder / "week1.toml")
    (folder / "answers").mkdir()
    rows = ["student,question,quantity,answer"]
    for number in range(students):
        sample = HOMEWORK / "chain_rule" / ("partly.txt" if number % 2 else "perfect.txt")
        question, lines = "", []
        for line in sample.read_text("utf-8").splitlines():
            quantity, sign, answer = line.partition("#")[0].partition(" = ")
            if sign and random.random() < 0.1:
                answer = f"{random.uniform(-2, 2):.3}"
            question = line.strip("[]") if line.startswith("[") else question
            lines.append(f"{quantity}{sign}{answer}")
            if sign:
                rows.append(f's{number:02},{question},{quantity},"{answer.strip()}"')
        (folder / f"answers/s{number:02}.txt").write_text("\n".join(lines), "utf-8")
    (folder / "class.csv").write_text("\n".join(rows) + "\n", "utf-8")
