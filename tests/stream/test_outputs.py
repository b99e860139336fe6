"""Only whole lines are written, whatever happens."""

from __future__ import annotations

import gzip
import os
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import UsageError
from gradcli.stream.outputs import ATOMIC, Output, parts


@given(st.lists(st.integers(0, 3000).map(lambda length: b"x" * length + b"\n")))
def test_parts_are_whole_lines_that_a_pipe_takes_at_once(lines: list[bytes]) -> None:
    text = b"".join(lines) + b"y" * 2 * ATOMIC + b"\n" + b"".join(lines)
    found = list(parts(text))
    assert b"".join(found) == text
    assert all(part.endswith(b"\n") for part in found)
    assert all(len(part) <= ATOMIC or part.count(b"\n") == 1 for part in found)


def test_files(tmp_path: Path) -> None:
    with closing(Output(str(tmp_path / "a"))) as output:
        output.write(b"1\n" * 10)
        output.write(b"2\n")
    assert (tmp_path / "a").read_bytes() == b"1\n" * 10 + b"2\n"
    for name in ("b.gz", "c.GZ"):
        with closing(Output(str(tmp_path / name))) as output:
            output.write(b"1\n" * 10)
    written = (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress(written) == b"1\n" * 10
    assert written == (tmp_path / "c.GZ").read_bytes()  # neither the time nor the name is in it
    for path in (tmp_path, tmp_path / "nowhere" / "a", "\0"):
        with pytest.raises(UsageError, match="cannot write"):
            Output(str(path))


def test_pipes() -> None:
    reading, writing = os.pipe()
    with closing(Output(f"/dev/fd/{writing}")) as output:
        assert output.is_pipe
        output.write(b"1\n" * 3000)
    os.close(writing)
    with open(reading, "rb") as file:  # noqa: PTH123
        assert file.read() == b"1\n" * 3000


def test_a_disk_that_is_full_keeps_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = [25]
    write = os.write

    def limited(descriptor: int, text: bytes) -> int:
        if not space[0]:
            raise OSError(28, "No space left on device")
        taken = min(space[0], len(text))
        space[0] -= taken
        return write(descriptor, text[:taken])

    with closing(Output(str(tmp_path / "a"))) as output:
        output.write(b"12345\n")
        monkeypatch.setattr(os, "write", limited)
        with pytest.raises(OSError, match="No space"):
            output.write(b"1234567890\n" * 5)
        monkeypatch.undo()
    assert (tmp_path / "a").read_bytes() == b"12345\n" + b"1234567890\n" * 2
