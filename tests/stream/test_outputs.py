"""Only whole lines are written, whatever happens."""

from __future__ import annotations

import gzip
import os
import signal
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradcli.errors import UsageError
from gradcli.stream.outputs import MEMBER, Output


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


LINE = b"%07d\n"
LONG = b"".join(LINE % number for number in range(3 * MEMBER // 8))


@pytest.mark.slow
@settings(max_examples=10)
@given(st.lists(st.integers(0, len(LONG)), max_size=3))
def test_a_long_text_is_compressed_in_the_same_parts_whatever_comes_at_a_time(cuts: list[int]) -> None:
    places = [place - place % 8 for place in sorted(cuts)]
    with TemporaryDirectory() as folder:
        written = []
        for name, ends in (("a.gz", []), ("b.gz", places)):
            path = Path(folder, name)
            with closing(Output(str(path))) as output:
                for start, end in zip([0, *ends], [*ends, len(LONG)], strict=True):
                    output.write(LONG[start:end])
            written.append(path.read_bytes())
    assert gzip.decompress(written[0]) == LONG
    assert written[0] == written[1]


def test_an_interruption_leaves_a_compressed_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that comes while a part is compressed."""
    compress = gzip.compress

    def interrupted(text: bytes, level: int, *, mtime: int) -> bytes:
        signal.raise_signal(signal.SIGINT)
        return compress(text, level, mtime=mtime)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    for text in (LONG, LONG[:80]):
        path = tmp_path / f"{len(text)}.gz"
        monkeypatch.setattr(gzip, "compress", interrupted)
        with pytest.raises(KeyboardInterrupt), closing(Output(str(path))) as output:
            output.write(text)
        monkeypatch.undo()
        found = gzip.decompress(path.read_bytes())
        assert text.startswith(found)
        assert found.endswith(b"\n")
    signal.signal(signal.SIGINT, before)


def test_pipes() -> None:
    reading, writing = os.pipe()
    with closing(Output(f"/dev/fd/{writing}")) as output:
        assert output.is_pipe
        output.write(b"1\n" * 3000)
    os.close(writing)
    with open(reading, "rb") as file:  # noqa: PTH123
        assert file.read() == b"1\n" * 3000


def limited(space: int) -> Callable[[int, bytes], int]:
    """Return a function that writes as a disk with so much space."""
    write = os.write

    def taken(descriptor: int, text: bytes) -> int:
        free = space - os.lseek(descriptor, 0, os.SEEK_CUR)
        if free <= 0:
            raise OSError(28, "No space left on device")
        return write(descriptor, text[:free])

    return taken


@pytest.mark.parametrize("share", [0.0, 0.1, 0.4, 0.7, 0.99])
def test_a_disk_that_is_full_keeps_whole_parts_of_a_compressed_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    with closing(Output(str(tmp_path / "a.gz"))) as output:
        output.write(LONG)
    monkeypatch.setattr(os, "write", limited(int(share * (tmp_path / "a.gz").stat().st_size)))
    with pytest.raises(OSError, match="No space"), closing(Output(str(tmp_path / "b.gz"))) as output:  # noqa: PT012
        output.write(LONG)
        output.close()
    monkeypatch.undo()
    found = gzip.decompress((tmp_path / "b.gz").read_bytes())
    assert LONG.startswith(found)
    assert len(found) % 8 == 0
    assert share * len(LONG) - MEMBER - 8 <= len(found) <= share * len(LONG) + MEMBER
