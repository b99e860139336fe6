"""A damaged gzip file gives every whole line before the damage, then one error in the place of the next."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import subprocess
import sys
import zlib
from contextlib import closing, suppress
from pathlib import Path

import pytest

from gradcli.errors import EvaluationError, UsageError
from gradcli.stream import inputs
from gradcli.stream.inputs import CHUNK, LITTLE, PIECE, Input
from gradcli.stream.records import Block, read_blocks

CHOOSE = random.Random(5)
TEXT = b"".join(b'{"x": %d, "y": %d}\n' % (n, CHOOSE.randrange(10**6)) for n in range(30_000))
WHOLE = gzip.compress(TEXT, mtime=0)


def read(path: Path, piece: int = PIECE) -> tuple[list[Block], str]:
    """The blocks of a file, and the error that ends them."""
    found: list[Block] = []
    try:
        with closing(Input(str(path), piece)) as source:
            found.extend(block for block in read_blocks(source.pieces()) if block is not None)
    except EvaluationError as error:
        return found, error.message.removeprefix(f"{path} ")
    return found, ""


def recoverable(data: bytes) -> bytes:
    """All that zlib gives of compressed data, byte by byte."""
    member, found = zlib.decompressobj(31), bytearray()
    with suppress(zlib.error):
        for at in range(len(data)):
            found += member.decompress(data[at : at + 1])
    return bytes(found)


def check(path: Path, data: bytes, expected: bytes, told: str, piece: int = PIECE) -> None:
    path.write_bytes(data)
    blocks, message = read(path, piece)
    *good, last = blocks
    lines = expected[: expected.rfind(b"\n") + 1]
    assert message == told
    assert b"".join(block.data for block in good) == lines
    assert all(block.problem is None for block in good)
    assert (last.first, last.data) == (lines.count(b"\n") + 1, b"")
    assert last.problem is not None
    assert last.problem.message == f"{path} {told}"


@pytest.mark.slow
@pytest.mark.parametrize("piece", [PIECE, LITTLE])
@pytest.mark.parametrize("share", [0.02, 0.31, 0.5, 0.77, 0.999])
def test_a_file_that_ends_too_early(share: float, piece: int, tmp_path: Path) -> None:
    data = WHOLE[: int(len(WHOLE) * share)]
    check(tmp_path / "a.gz", data, recoverable(data), "ends in the middle of its compressed data", piece)


def test_it_may_end_anywhere(tmp_path: Path) -> None:
    member, expected = zlib.decompressobj(31), bytearray()
    ends = {*range(1, 30), *range(CHUNK - 3, CHUNK + 3), *range(len(WHOLE) - 12, len(WHOLE))}
    for end in range(1, len(WHOLE)):
        expected += member.decompress(WHOLE[end - 1 : end])
        if end in ends:
            check(tmp_path / "a.gz", WHOLE[:end], bytes(expected), "ends in the middle of its compressed data")
    assert expected == TEXT


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_bytes_that_have_changed(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    data = bytearray(WHOLE)
    place = choose.randrange(100, len(data) - 20)
    data[place : place + 8] = choose.randbytes(8)
    check(tmp_path / "a.gz", bytes(data), recoverable(bytes(data)), "is damaged")


@pytest.mark.parametrize(
    ("second", "told"),
    [(WHOLE[:-30], "ends in the middle of its compressed data"), (b"plain text\n", "is damaged"), (b"\x1f", "")],
    ids=["cut", "a text", "a byte"],
)
def test_the_members_before_are_whole(second: bytes, told: str, tmp_path: Path) -> None:
    told = told or "ends in the middle of its compressed data"
    check(tmp_path / "a.gz", WHOLE + b"\0\0" + second, TEXT + recoverable(second), told)


def test_much_comes_out_of_little(tmp_path: Path) -> None:
    """A piece is no larger than asked for, whatever a few bytes expand to."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"\n" * 2**24))
    with closing(Input(str(path), 1000)) as source:
        sizes = [len(piece or b"") for piece in source.pieces()]
    assert (max(sizes), sum(sizes)) == (1000, 2**24)


def zstd(text: bytes) -> bytes:
    return bytes(pytest.importorskip("pyarrow").compress(text, "zstd", asbytes=True))


PACKED = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": zstd}


@pytest.mark.parametrize("kind", PACKED)
@pytest.mark.parametrize("name", ["points.jsonl", "points.jsonl{}", "pipe"])
def test_compressed_data_is_known_by_its_name_and_by_its_first_bytes(tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / name.format(kind)
    data = PACKED[kind](TEXT[:100_000]) + (PACKED[kind](b"more\n") if kind != ".zst" else b"")
    if name == "pipe":
        os.mkfifo(path)
        script = (
            "import sys, time\n"
            "with open(sys.argv[1], 'wb', buffering=0) as file:\n"
            "    data = sys.stdin.buffer.read()\n"
            "    file.write(data[:1]); time.sleep(0.05); file.write(data[1:])"
        )
        process = subprocess.Popen([sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE)
        process.stdin.write(data)  # type: ignore[union-attr]
        process.stdin.close()  # type: ignore[union-attr]
        blocks, message = read(path)
        assert process.wait() == 0
    else:
        path.write_bytes(data)
        blocks, message = read(path)
    assert message == ""
    whole = TEXT[:100_000] + (b"more\n" if kind != ".zst" else b"")
    assert b"".join(block.data for block in blocks) == whole


@pytest.mark.parametrize("kind", [".bz2", ".xz", ".zst"])
def test_damage_of_all_kinds_is_told(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "points"
    data = PACKED[kind](TEXT)
    path.write_bytes(data[:-30])
    assert read(path)[1] == "ends in the middle of its compressed data"
    path.write_bytes(data[: len(data) // 2] + b"\xff" * 60 + data[len(data) // 2 + 60 :])
    assert read(path)[1] == "is damaged"
    (tmp_path / f"text{kind}").write_bytes(b"x,y\n1,2\n")
    assert read(tmp_path / f"text{kind}")[1].startswith("is ")


def test_where_nothing_reads_it_its_name_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise UsageError("E017", "no")

    monkeypatch.setattr(inputs, "pyarrow", missing)
    path = tmp_path / "points.jsonl.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    with pytest.raises(UsageError, match="is compressed with zstd, which"):
        read(path)


def test_a_pipe_of_zstd_ends_without_a_word() -> None:
    command = [sys.executable, "-m", "gradcli", "batch", "x**2", "--format", "csv"]
    ended = subprocess.run(command, input=zstd(b"x\n3\n"), capture_output=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"x,value,d_x\n3,9.0,6.0\n", b"")
