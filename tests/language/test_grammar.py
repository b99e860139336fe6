from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradcli.language.grammar import expression_parser, grammar_text
from gradcli.language.parser import parse_expression
from gradcli.language.tree import Binary, Name
from gradcli.source import Source


@pytest.fixture(autouse=True)
def fresh_parser() -> Iterator[None]:
    expression_parser.cache_clear()
    yield
    expression_parser.cache_clear()


def parses() -> bool:
    expression_parser.cache_clear()
    return parse_expression(Source("x + y")) == Binary("+", Name("x"), Name("y"))


def test_the_cache_is_one_file_in_the_users_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert parses()
    (file,) = (tmp_path / "gradcli").iterdir()
    written = file.stat().st_mtime_ns
    assert parses()
    assert file.stat().st_mtime_ns == written


@pytest.mark.slow
@pytest.mark.parametrize("keep", [0, 1, 40, 100, 5000])
def test_a_damaged_cache_is_built_anew_silently(
    keep: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert parses()
    (file,) = (tmp_path / "gradcli").iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:keep] + b"?")
    assert parses()
    assert len(file.read_bytes()) > 5001
    assert capfd.readouterr() == ("", "")


def test_no_cache_folder_is_no_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "below", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(place))
        assert parses()
    blocked = tmp_path / "blocked"
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    assert parses()
    (file,) = (blocked / "gradcli").iterdir()
    file.unlink()
    file.mkdir()  # a folder where the file should be
    assert parses()
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "")
    monkeypatch.chdir(tmp_path)
    assert parses()
    assert not (tmp_path / ".cache").exists()
    assert capfd.readouterr() == ("", "")


def test_the_grammar_is_found_and_is_text() -> None:
    assert "program:" in grammar_text("expression.lark")


def test_lark_is_not_imported_before_there_is_something_to_parse() -> None:
    code = (
        "import sys, gradcli.language.parser, gradcli.language.unparser; "
        "sys.exit(any(name in sys.modules for name in ('lark', 'numpy', 'rich')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def marked(path: Path) -> bytes:
    """A pickle that makes a file when it is read."""
    return b"cposix\nsystem\n(S'touch " + str(path).encode() + b"'\ntR."


@pytest.mark.parametrize(
    "what",
    [
        "writable by others",
        "a link",
        "a folder that others write to",
        "a folder that others can exchange",
        "somebody else's",
    ],
)
def test_a_cache_that_others_can_write_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "gradcli"
    folder.mkdir(mode=0o755)
    assert parses()
    (file,) = folder.iterdir()
    hostile = marked(tmp_path / "executed")
    file.write_bytes(hostile)
    if what == "writable by others":
        file.chmod(0o666)
    elif what == "a link":
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
    elif what == "a folder that others write to":
        folder.chmod(0o777)
    elif what == "a folder that others can exchange":
        tmp_path.chmod(0o777)
    else:
        monkeypatch.setattr("os.getuid", lambda: 12345)
    assert parses()
    assert file.read_bytes() == hostile
    assert not (tmp_path / "executed").exists()


def test_a_pipe_in_place_of_the_cache_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert parses()
    (file,) = (tmp_path / "gradcli").iterdir()
    file.unlink()
    os.mkfifo(file)
    assert parses()
