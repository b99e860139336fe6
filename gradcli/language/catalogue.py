"""The module that declares each operation, so that a program loads the families that it uses and no others.

Start-up is what users feel: all families take longer to import than most programs take to run. The file is written from
the declarations by `python -m tests.ops.support.record_catalogue`.
"""

from __future__ import annotations

from pathlib import Path

from gradcli.source import shipped

FILE = Path(__file__).with_name("catalogue.txt")
FAMILY_OF = {
    name: family
    for family, _, names in (line.partition(": ") for line in shipped(FILE).splitlines())
    for name in names.split()
}
