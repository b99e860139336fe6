"""Loads a grammar into a parser: from the package or the checkout, and from a cache in the user's folder.

Importing lark costs tens of milliseconds, so nothing imports this module before there is something to parse.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

import lark
from lark import Lark, Token

from gradcli.language.builder import Builder


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
    installed = package / "grammars" / name
    return (installed if installed.is_file() else package.parent / "grammars" / name).read_text(encoding="utf-8")


def _cache_file(name: str, text: str) -> str | None:
    """Return the path of the stored tables of a grammar, or None when there is no place for them.

    Lark reads and writes the file. It builds the tables anew, silently, when the file is missing, unreadable or
    cannot be written: the cache saves a fifth of a short command and is never needed.
    """
    with suppress(OSError, RuntimeError):  # RuntimeError: there is no home folder
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gradcli"
        if not folder.is_absolute():  # an empty HOME; never litter the current folder
            return None
        folder.mkdir(parents=True, exist_ok=True)
        version = f"{lark.__version__} {sys.version_info[:2]}"
        key = sha256(f"{version} {text}".encode()).hexdigest()[:16]
        return str(folder / f"{name}-{key}.lalr")
    return None
