"""The real engines: whichever worker dies, the bits, the order by key and the counts are those of one process."""

from __future__ import annotations

import io
import json
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from warnings import catch_warnings

import numpy as np
import pytest

from gradcli.errors import GradcliError
from tests.engines.clusters import CLUSTERS, PYTHON, Cluster
from tests.homework.klass.course import questions
from tests.homework.klass.model import Asked
from tests.homework.klass.students import students
from tests.homework.klass.table import plainly
from tests.stream.test_plan import EDGES, bits

pa: Any = pytest.importorskip("pyarrow")
pq: Any = pytest.importorskip("pyarrow.parquet")
pc: Any = pytest.importorskip("pyarrow.csv")

PROGRAMS = {"dask": "k = stack([sum(w*x), y]); max(k[k == k])*a", "spark": "where(x > y, sin(x)*exp(y), a*x**2.5)*w[1]"}
FIXED = {"a": 2.5, "w": [1.0, 2.0]}  # the program of dask is computed row by row, that of Spark at once
ROWS = 200
FATAL = "137"


def points() -> Any:
    """Points with columns of other kinds beside, which stay what they are."""
    i = np.arange(ROWS)
    x = pa.array(np.resize(EDGES, ROWS), mask=i % 50 == 7)
    others = {
        "when": pa.array(i, pa.timestamp("us", "UTC"), mask=i % 50 == 8),
        "price": pa.array(i).cast(pa.decimal128(22, 2)),
        "list": [[n] * (n % 3) for n in i.tolist()],
        "record": [{"a": n} for n in i.tolist()],
    }
    return pa.table({"key": i.astype(str), "x": x, "y": np.roll(np.resize(EDGES, ROWS), 5) * 1.5, **others})


def batch_on(cluster: Cluster, folder: Path) -> None:
    """One worker dies when a part of the results is there."""
    pq.write_table(points(), folder / "points.parquet")
    program, fixed = PROGRAMS[cluster.name], [f"{name}={value}" for name, value in FIXED.items()]
    gradcli("batch", program, *fixed, "-i", "points.parquet", "-o", "out.parquet", cwd=folder)
    frame = cluster.module.batch(cluster.frame(points()), program, **FIXED)
    found = cluster.table(cluster.dying(frame, "key", FATAL, folder / "batch died"))
    assert (folder / "batch died").exists()
    assert_same_rows(found, pq.read_table(folder / "out.parquet"))


def assert_same_rows(found: Any, expected: Any) -> None:
    assert found.column_names == expected.column_names
    assert found.num_rows == expected.num_rows
    found, expected = found.sort_by("key").to_pydict(), expected.sort_by("key").to_pydict()
    for name in expected:
        assert list(map(exactly, found[name])) == list(map(exactly, expected[name])), name


def exactly(value: Any) -> Any:
    if isinstance(value, float):
        return bits(value)
    return list(map(exactly, value)) if isinstance(value, list) else value


def check_on(cluster: Cluster, folder: Path) -> None:
    """A small class, of which one student is written in two ways, one leaves blanks, and one answers twice."""
    asked = questions(7)[:4]
    assignment = "".join(map(Asked.toml, asked))
    rows = [
        (student.name, one.question, one.quantity, None if one.value is None else plainly(one))
        for student in students(asked, 24, 7)
        for one in student.answers
    ]
    rows += [("Ada", *rows[0][1:]), (" ada", *rows[1][1:]), ("Eve", *rows[0][1:]), ("Eve", *rows[0][1:3], "7")]
    rows += [("Eve", "none", "w", "1"), (None, *rows[0][1:])]
    table = pa.table(dict(zip(("student", "question", "quantity", "answer"), zip(*rows, strict=True), strict=True)))
    (folder / "week.toml").write_text(assignment)
    pc.write_csv(table, folder / "class.csv")
    document = json.loads(gradcli("check", "week.toml", "class.csv", "--json", cwd=folder, code=1))
    expected = [
        (one["student"], *(answer[name] for name in FACTS), answer["diagnoses"])
        for one in document["submissions"]
        for answer in one["answers"]
    ]
    shuffled = table.take(np.random.default_rng(0).permutation(len(table)))
    frame = cluster.module.check(assignment, cluster.frame(shuffled))
    verdicts = cluster.table(cluster.dying(frame, "student", rows[0][0], folder / "check died")).to_pylist()
    assert (folder / "check died").exists()
    found = [(row["student"], *(row[name] for name in FACTS), json.loads(row["diagnoses"])) for row in verdicts]
    assert sorted(found, key=repr) == sorted(expected, key=repr)
    assert any(row["mistake"] and row["message"] for row in verdicts)


FACTS = ("question", "quantity", "verdict", "points", "max_points")


def refused_on(cluster: Cluster, folder: Path) -> None:
    """What the columns or the program do not allow is said before there is a job."""
    frame = cluster.frame(points())
    for program, fixed, message in (
        ("x*z", {}, "no column for z"),
        ("x*key", {}, "the column key has strings, not numbers"),
        ("x*when", {}, "the column when has timestamp.*, not numbers"),
        ("x*price", {}, "the column price has decimals, not numbers"),
        ("x*foo(y)", {}, "there is no function 'foo'"),
        ("x*y", {"wrt": ["z"]}, "z is not a variable"),
        ("value = x", {"of": "z"}, "the program has no z"),
    ):
        with pytest.raises(GradcliError, match=message):
            cluster.module.batch(frame, program, **fixed)
    lists = cluster.frame(pa.table({"v": [[1.0, 2.0]], "w": [[3.0, 4.0]]}))
    with pytest.raises(GradcliError, match="v has lists of any length") as caught:
        cluster.module.batch(lists, "sum(v*w)")
    assert "Spark has none, there give a column for each entry" in str(caught.value.help)
    with pytest.raises(GradcliError, match="the input has a column value already"):
        cluster.module.batch(cluster.module.batch(frame, "x"), "y")
    with pytest.raises(GradcliError, match="no column student: there are key, x, y, when"):
        cluster.module.check("[[question]]\n", frame)
    answers = {"student": [1], "question": ["q"], "quantity": ["z"], "answer": [4.0]}
    with pytest.raises(GradcliError, match="the column answer has double, not strings"):
        cluster.module.check("[[question]]\n", cluster.frame(pa.table(answers)))
    answers["answer"] = ["4"]
    with pytest.raises(GradcliError, match="question"):
        cluster.module.check("[[question]]\n", cluster.frame(pa.table(answers)))
    with pytest.raises(GradcliError, match="No such file"):
        cluster.module.check("none.toml", cluster.frame(pa.table(answers)))


def recipes_on(cluster: Cluster, folder: Path) -> None:
    """The last scene: a script of Spark ends its session."""
    for script in sorted(SCRIPTS.glob(f"{cluster.name}_*.py")):
        size = ["--students", "30"] if script.stem.endswith("check") else ["--rows", "1000"]
        told = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(told), catch_warnings(action="ignore"):
            patch.setattr(sys, "argv", [str(script), *size, *cluster.options])
            runpy.run_path(str(script), run_name="__main__")
        assert re.match(r"(1,000 rows|180 answers) in [\d.]+ s", told.getvalue())


SCENES: list[Callable[[Cluster, Path], None]] = [refused_on, batch_on, check_on, recipes_on]
SCRIPTS = Path(__file__).parents[2] / "samples" / "clusters"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
@pytest.mark.parametrize("engine", CLUSTERS)
def test_the_engine(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All in one test: an engine takes as long to begin as the rest of it."""
    for name, value in PYTHON.items():
        monkeypatch.setenv(name, value)
    with CLUSTERS[engine]() as cluster:
        for scene in SCENES:
            scene(cluster, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["duckdb", "polars"])
def test_the_recipe_runs(library: str) -> None:
    pytest.importorskip(library)
    command = [sys.executable, str(SCRIPTS / f"{library}_batch.py"), "--rows", "1000"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"1,000 rows in [\d.]+ s: [\d,]+ rows a second, 0 failed\n", done.stdout)


def gradcli(*arguments: str, cwd: Path, code: int | None = None) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "gradcli", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert code is None or done.returncode == code, done.stderr
    return done.stdout
