"""Loads a grammar into a parser: from the package or the checkout, and from a cache in the user's folder.

Importing lark costs tens of milliseconds, so nothing imports this module before there is something to parse.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

import lark
from lark import Lark, Token

from gradcli.language.builder import Builder
from gradcli.source import shipped


class JoinedLines:
    """Drops the newlines inside brackets: there a line may end anywhere."""

    always_accept = ("_NEWLINE",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        depth = 0
        for token in stream:
            kind = token.type
            if kind == "_NEWLINE" and depth:
                continue
            if kind in ("LPAR", "LSQB"):
                depth += 1
            elif kind in ("RPAR", "RSQB"):
                depth -= 1
            yield token


@cache
def expression_parser() -> Lark:
    """Return the parser of programs, which gives a tuple of `Statement`s."""
    text = grammar_text("expression.lark")
    return Lark(
        text,
        start="program",
        parser="lalr",
        lexer="basic",  # no terminal depends on its place
        maybe_placeholders=False,
        postlex=JoinedLines(),
        transformer=Builder(),
        cache=_cache_file("expression", text) or False,
    )


def grammar_text(name: str) -> str:
    """A grammar as installed (inside the package) or as checked out (beside it)."""
    package = Path(__file__).parents[1]
    try:
        return shipped(package / "grammars" / name)
    except OSError:
        return shipped(package.parent / "grammars" / name)


def _cache_file(name: str, text: str) -> str | None:
    """Return the path of the stored tables of a grammar, or None when there is no place for them.

    Lark reads and writes the file. It builds the tables anew, silently, when the file is missing, unreadable or
    cannot be written: the cache saves a fifth of a short command and is never needed. In a folder that belongs to this
    user, and that nobody else can write to or exchange, nobody changes the file while it is opened.
    """
    with suppress(OSError, RuntimeError):  # RuntimeError: there is no home folder
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gradcli"
        if not folder.is_absolute():  # an empty HOME; never litter the current folder
            return None
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        version = f"{lark.__version__} {sys.version_info[:2]}"
        key = sha256(f"{version} {text}".encode()).hexdigest()[:16]
        file = folder / f"{name}-{key}.lalr"
        facts = folder.lstat()
        if stat.S_ISDIR(facts.st_mode) and is_own(facts, 0o022) and is_kept(folder) and is_trusted(file, facts):
            return str(file)
    return None


def is_kept(folder: Path) -> bool:
    """Return whether nobody but this user and the system's can put another folder in the place of one."""
    for above in folder.resolve().parents:
        facts = above.stat()
        if facts.st_mode & 0o002 and not facts.st_mode & stat.S_ISVTX:
            return False
        if facts.st_uid and not is_own(facts, 0):
            return False
    return True


def is_trusted(file: Path, folder: os.stat_result) -> bool:
    """Return whether lark may unpickle what it finds at a path in a folder: nothing, or a file that only we write."""
    if not os.path.lexists(file):
        return True
    facts = file.lstat()
    return stat.S_ISREG(facts.st_mode) and is_own(facts, 0o022 if folder.st_mode & 0o077 else 0)


def is_own(facts: os.stat_result, permissions: int) -> bool:
    """Return whether a file belongs to this user, and gives other users none of these permissions."""
    return not hasattr(os, "getuid") or (facts.st_uid == os.getuid() and not facts.st_mode & permissions)
