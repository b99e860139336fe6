"""Values from files, and values that are none: each is read or refused in a sentence, and memory stays bounded."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest

from tests.commands.running import gradcli


def header(text: str) -> bytes:
    padded = text.encode() + b" " * (-(10 + len(text) + 1) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded


def described(dtype: str, shape: str) -> bytes:
    return header(f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}, }}")


READ = {
    "rows.csv": (b"1,2\n3,4\n", 10),
    "row.csv": (b"1,2,3", 6),
    "semicolons.csv": (b"a;b\n1,5;2\n3;4,5\n", 11),
    "points.csv": (b"sep=;\r1.5;2\r3;4.5", 11),
    "tabs.csv": ("x\ty\n1\t2\n3\t4\n".encode("utf-16"), 10),
    "headings.csv": (b"a,b\n1,2\n", 3),
    "heading.csv": (b"x\n1\n2\n", 3),
    "quoted.csv": (b'"a, b","c"\n1,2\n"3",4\n', 10),
    "unicode.csv": ("\ufeffα,β²\r\n1,2\r\n".encode(), 3),
    "marked.csv": ("\ufeff1,2\n".encode(), 3),
    "below_a_blank.csv": (b"\n\na,b\n\n1,2\n", 3),
    "fewer_headings.csv": (b"values\n1,2\n", 3),
    "infinite.csv": (b"nan,inf\n1,2\n", "NaN"),
    "nested.json": (b"[[1, 2], [3, 4.5]]", 10.5),
    "number.json": (b"7", 7),
    "empty.json": (b"[]", 0),
    "flags.json": (b"[true, false]", 1),
}
REFUSED = {
    "empty.csv": b"",
    "blank.csv": b"\n\n",
    "comment.csv": b"# nothing\n",
    "headings_alone.csv": b"a,b\n",
    "two_headings.csv": b"a,b\nc,d\n1,2\n",
    "heading_of_a_number.csv": b"a,1\n1,2\n",
    "word_below.csv": b"a,b\n1,2\n3,c\n",
    "heading_and_ragged.csv": b"a,b\n1,2\n3\n",
    "empty_heading.csv": b",\n1,2\n",
    "ragged.csv": b"1,2\n3\n",
    "hole.csv": b"1,\n2,3\n",
    "binary.csv": b"\xff\xfe\x00",
    "ragged.json": b"[[1, 2], [3]]",
    "words.json": b'["a"]',
    "object.json": b'{"a": 1}',
    "null.json": b"null",
    "broken.json": b"[1",
    "deep.json": b"[" * 100_000,
    "dimensions.json": b"[" * 70 + b"1" + b"]" * 70,
    "digits.json": b"1" + b"0" * 5000,
    "empty.npy": b"",
    "cut.npy": b"\x93NUMPY",
    "lying.npy": described("'<f8'", "(1000000000000,)") + bytes(80),
    "rows of nothing.npy": described("'<f8'", "(1000000000, 0)"),
    "nested.npy": described("'<f8'", "(" * 3000 + "1,)") + bytes(80),
    "complex.npy": described("'<c16'", "(1,)") + bytes(16),
    "fields.npy": described("[('a', '<f8')]", "(1,)") + bytes(8),
    "zipped.npy": b"PK\x03\x04 and nothing after it",
    "text.txt": b"1",
    "none": b"1",
}


@pytest.mark.parametrize(("name", "content", "total"), [(n, c, t) for n, (c, t) in READ.items()], ids=READ)
def test_files_of_values(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, content: bytes, total: object
) -> None:
    (tmp_path / name).write_bytes(content)
    result = gradcli(capsys, ["eval", "sum(x)", f"x=@{tmp_path / name}", "--json"])
    assert json.loads(result.out)["value"] == total


@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "bool", ">f8"])
def test_arrays(capsys: pytest.CaptureFixture[str], tmp_path: Path, dtype: str) -> None:
    np.save(tmp_path / "x.npy", np.array([[1, 0], [1, 1]], dtype))
    result = gradcli(capsys, ["eval", "sum(x)", f"x=@{tmp_path / 'x.npy'}", "--json"])
    assert json.loads(result.out)["value"] == 3


@pytest.mark.parametrize(("name", "content"), REFUSED.items(), ids=REFUSED)
def test_files_of_something_else(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    check_refused(capsys, tmp_path / name)


def test_what_is_no_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    with (tmp_path / "large.csv").open("wb") as large:
        large.truncate(2**31)
    np.save(tmp_path / "pickled.npy", np.array([{}], dtype=object), allow_pickle=True)
    for name in ("folder.csv", "pipe.csv", "endless.csv", "large.csv", "pickled.npy", "nowhere.csv", "a\0b.csv"):
        check_refused(capsys, tmp_path / name)


def check_refused(capsys: pytest.CaptureFixture[str], path: Path) -> None:
    result = gradcli(capsys, ["eval", "x", f"x=@{path}"])
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error[E009]: x=@")
    assert len(result.err.splitlines()) == 2
    assert "\0" not in result.err


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["-x+1", "x=1"], "-1"),
        (["-x", "x=1"], "-1"),
        (["- x", "x=1"], "-1"),
        (["--", "--x", "x=1"], "1"),
        (["--", "-x", "x=1"], "-1"),
        (["-x**2", "x=3"], "-6"),
        (["x**2", "x=-3"], "-6"),
        (["x**2", "x=-1/2"], "-1"),
        (["x", "x=1", "--upstream", "-1"], "-1"),
        (["x", "x=1", "--upstream=-2"], "-2"),
        ([" \uff58 * 2", "\uff58=1", "--wrt", "\uff58"], "2"),  # a wide x is an x
    ],
)
def test_minus_signs_and_spellings(capsys: pytest.CaptureFixture[str], arguments: list[str], output: str) -> None:
    assert gradcli(capsys, ["grad", *arguments]).out == f"x\t{output}\n"


NAMES = ["g", "g_2", "upstream", "v1", "c1", "L", "T", "sum", "pi", "e", "d", "inf", "__class__"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_can_be_a_variable(capsys: pytest.CaptureFixture[str], name: str) -> None:
    values = ["X=[[1,2],[3,4]]", f"{name}=[5,6]", "--upstream", "[1,2]"]
    found = json.loads(gradcli(capsys, ["grad", f"X @ {name}", *values, "--json"]).out)
    assert found["gradients"] == {"X": [[5, 6], [10, 12]], name: [7, 10]}
    assert gradcli(capsys, ["verify", f"X @ {name}", *values]).code == 0
    large = ["verify", f"{name}*ones(100)", f"{name}=3", "--upstream", "arange(100)"]
    assert gradcli(capsys, large).code == 0
    paths = json.loads(gradcli(capsys, ["trace", f"X @ {name}", *values, "--paths", "--json"]).out)
    for leaf in paths["leaves"]:
        assert [path["value"] for path in leaf["paths"]["listed"]] == [leaf["gradient"]]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["x=[1,2]; sum(x*k)"], {"x": "expand(k, (2,))", "k": "sum(x)"}),
        (["c=3; sum(c*X**2)", "X:n"], {"c": "sum(X**2)", "X": "2*c*X"}),
        (["y=[1.6, 0.6]; sum(y*y)"], {"y": "2*y"}),
        (["lam=[[], []]; y=[1.6, 0.6]; v=silu(lam); sum(y*y)", "--hessian"], {"y,y": "2*eye(2)"}),
        (["x=2; y=3; x**2*y*k", "--hessian"], {"x,k": "2*x*y", "y,y": "0"}),
    ],
)
def test_formulas_without_values_know_those_of_the_program(
    capsys: pytest.CaptureFixture[str], line: list[str], expected: dict[str, str]
) -> None:
    shown = gradcli(capsys, ["grad", "--symbolic", *line])
    assert shown.code == 0, shown.err
    assert expected.items() <= dict(row.split("\t") for row in shown.out.splitlines()).items()


@pytest.mark.parametrize("text", ["x;y\n1.234,5;2\n1,5;3\n", 'x,y\n"1,234.5",2\n', "x\ty\n1'000\t2\n"])
def test_thousands_are_named(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    (tmp_path / "x.csv").write_text(text)
    assert "write no thousands: decimals begin with" in gradcli(capsys, ["eval", "x", f"x=@{tmp_path / 'x.csv'}"]).err
