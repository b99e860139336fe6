"""Whole documents around fragments, and lines of text as they are."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.render.latex.symbols import escaped

PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=25mm]{geometry}
\usepackage{amsmath}
"""


def document(fragment: str, *, preamble: str = "") -> str:
    """Return a document that compiles by itself; `preamble` is for what the fragment needs besides amsmath."""
    return f"{PREAMBLE}{preamble}\\begin{{document}}\n{fragment}\n\\end{{document}}"


def listing(lines: Iterable[str]) -> str:
    """Return lines in a fixed width; a verbatim environment would end where the text says so."""
    written = (escaped(line.rstrip()).replace(" ", r"\ ") or r"\ " for line in lines)
    body = "\\\\\n".join(rf"\texttt{{{line}}}" for line in written)
    return f"\\begin{{flushleft}}\\small\n{body}\n\\end{{flushleft}}"
