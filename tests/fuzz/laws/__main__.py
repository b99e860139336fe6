"""`python -m tests.fuzz.laws "log(1.1 + x**2)" x=1.5`: hold one program up to all laws."""

from __future__ import annotations

import sys

from gradcli.guard import guard
from tests.fuzz.laws.laws import judge

guard.is_strict = True
code, page = judge(sys.argv[1:])
print(page, end="")
sys.exit(code)
