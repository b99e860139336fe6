"""Fixtures of tests that interrupt processes."""

from __future__ import annotations

from tests.commands.conftest import interruptible as interruptible
