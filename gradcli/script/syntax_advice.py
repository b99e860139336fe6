"""Advice on a line that Python cannot read."""

from __future__ import annotations

import re

SYNTAX = [
    (r"unexpected indent|unindent|inconsistent use of tabs|indented block", "indent a block by the same four spaces"),
    (r"never closed", "add the closing bracket"),
    (r"unmatched|does not match", "one bracket too many, or of the wrong kind"),
    (r"expected ':'", "end the line with a colon"),
    (r"unterminated|EOL", "close the quotes"),
    (r"forgot a comma", "put a comma or an operator between the values"),
    (r"Missing parentheses in call", "write print(...)"),
    (r"meant '=='|cannot assign to .* here", "= assigns, == compares"),
    (r"invalid non-printable|invalid character", "type the character again: it was pasted from a page"),
    (r"outside function", "return belongs into a def: indent it"),
    (r"outside loop|not properly in loop", "break and continue belong into a for or while: indent them"),
    (r"follows keyword argument|follows default argument", "those without a name or a default come first"),
    (r"keyword argument repeated", "give each keyword once"),
    (r"expected 'except'", "a try needs an except or a finally"),
    (r"invalid decimal literal", "names begin with a letter, and a product needs a *"),
    (r"f-string", "look at the braces and quotes inside the f-string"),
    (r"nested", "split it into several statements"),
    (r"cannot assign", "only names, attributes and items can be assigned to"),
]


def syntax_advice(message: str, line: str) -> str:
    """Return advice on a line that Python cannot read."""
    if line.lstrip().startswith((">>>", "...")):
        return "take the prompts >>> away, or save it as a .md page, in a block that begins with ```pycon"
    if line.lstrip().startswith(("%", "!")):
        return "that is a command for a notebook: take it away"
    found = (words for pattern, words in SYNTAX if re.search(pattern, message))
    return next(found, "Python cannot read this: look at the line above it, too")
