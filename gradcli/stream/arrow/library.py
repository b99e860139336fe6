"""pyarrow, which is imported where columns of Arrow come in or a file of columns is named, and nowhere else."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from gradcli.errors import UsageError


def pyarrow(module: str = "") -> Any:
    """Return pyarrow, or a module of it. Raises UsageError where it is not installed."""
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # its own one reserves more than a worker may have
    try:
        return import_module(f"pyarrow.{module}".rstrip("."))
    except ImportError:
        raise UsageError(
            "E017", "Parquet and Arrow need pyarrow, which is not installed", help='pip install "gradcli[arrow]"'
        ) from None
