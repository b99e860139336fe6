"""Libraries that are imported where columns or engines that need them come in, and nowhere else."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from gradcli.errors import UsageError


def pyarrow(module: str = "") -> Any:
    """Return pyarrow, or a module of it. Raises UsageError where it is not installed."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # its own one reserves more than a worker may have
    return library(f"pyarrow.{module}".rstrip("."), "Parquet and Arrow", "arrow")


def library(module: str, subject: str, extra: str) -> Any:
    """Return a module of a library that an extra installs. Raises UsageError where it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        help = f'pip install "gradcli[{extra}]"'
        raise UsageError("E017", f"{subject} need {name}, which is not installed", help=help) from None
