"""Without an engine, one line says what to install; and an engine is imported where its frames come in only."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

import gradcli.dask
import gradcli.spark
from gradcli.errors import UsageError


@pytest.mark.parametrize(("module", "library"), [(gradcli.dask, "dask"), (gradcli.spark, "pyspark")])
def test_the_line_says_what_to_install(module: object, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    extra = "dask" if library == "dask" else "spark"
    for asked in (lambda: module.batch(None, "x"), lambda: module.check("none.toml", None)):  # type: ignore[attr-defined]
        with pytest.raises(UsageError, match=f"need {library}, which is not installed") as caught:
            asked()
        assert caught.value.help == f'pip install "gradcli[{extra}]"'


def test_students_are_dealt_to_two_tasks_a_core() -> None:
    """As each task starts a process; a session that does not know its cores decides itself."""
    session = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=3))
    assert gradcli.spark.tasks(SimpleNamespace(sparkSession=session)) == (6,)  # type: ignore[arg-type]
    assert gradcli.spark.tasks(SimpleNamespace(sparkSession=object())) == ()  # type: ignore[arg-type]
