"""Bytecode is written and shared by all processes of the tests, away from the sources where it is not wanted there."""

import os
import sys
from pathlib import Path

if "pytest" in sys.modules and os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):  # not in a process whose disk is full
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(Path(__file__).parents[1] / ".pytest_cache/bytecode")
    sys.dont_write_bytecode = False
