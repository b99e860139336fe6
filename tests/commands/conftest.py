"""What tests of whole commands run under."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from tests.commands.served import HANDLERS


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let signals end commands, also where a shell had them ignored for the tests, in the background or by `nohup`."""
    before = {number: signal.signal(number, handler) for number, handler in HANDLERS.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
