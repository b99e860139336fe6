"""`uuid` in snippets, against Python's own."""

from __future__ import annotations

from tests.script.running import ours, torchs

TEXT = """
import uuid
x = uuid.uuid4()
print(len(str(x)), type(x).__name__, x.version, x == uuid.UUID(str(x)), len(x.hex), len({uuid.uuid4(), x, x}))
print(uuid.uuid5(uuid.NAMESPACE_DNS, "a.b"), repr(uuid.UUID(int=5)), f"{uuid.UUID(int=6)}")
"""


def test_names_of_no_other_run() -> None:
    assert ours(TEXT) == torchs(TEXT)
