"""Files of columns, and jobs over them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradcli.stream.arrow.job import Job
from gradcli.stream.plan import Task
from gradcli.workers.limits import Limits

SQUARE = "z=(x1+a*x2)**2"
Run = Callable[..., Job]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a job in a folder: inputs and output are paths in it."""

    def job(inputs: str | list[str], output: str, program: str = SQUARE, **options: Any) -> Job:
        task = Task(program, **options.pop("task", {}))
        paths = [str(tmp_path / one) for one in ([inputs] if isinstance(inputs, str) else inputs)]
        target = str(tmp_path / output) + ("/" if output.endswith("/") else "")
        known = {"format": None, "shard": None, "jobs": 1, "limits": Limits(5), "most_failures": None}
        made = Job(task, paths, target, **{**known, "watch": lambda total: lambda done: None, **options})
        made.run()
        return made

    return job


def left(folder: Path) -> list[str]:
    """The files in a folder, hidden ones too."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def with_manifests(names: list[str]) -> list[str]:
    """The files of some results, each with the manifest beside it."""
    return sorted([*names, *(str(Path(name).with_name(f"_{Path(name).name}.json")) for name in names)])
