"""What is asked of another process, and what comes back, has to be data; here it is written and read in one process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gradcli.homework.code import marking
from gradcli.homework.solve import snippets
from gradcli.homework.solve.runs.scripts import WORK
from gradcli.workers.messages import message_of, read_message


@pytest.fixture(autouse=True)
def _sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def ask_process(function: Callable[[Any], Any], question: Any, kind: Any) -> Any:
        found = function(read_message(message_of(question, WORK.question), WORK.question))
        return read_message(message_of(found, kind), kind)

    for module in (marking, snippets):
        monkeypatch.setattr(module, "ask_process", ask_process)
