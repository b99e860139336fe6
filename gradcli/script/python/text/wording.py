"""Error texts as a snippet sees them: in the words of Python 3.11 under each Python, with the classes that it knows."""

from __future__ import annotations

import re
import sys

from gradcli.script.python.values.kinds import SHOWN, TYPES, BuiltinType, full_name

OURS = re.compile(r"<(?P<is_class>class ')?(?P<module>gradcli\.[\w.]+)\.(?P<name>\w+)(?P<end>'>| object at )")


def _abstract(match: re.Match[str]) -> str:
    return f" with abstract {match[1]} {match[2].replace(chr(39), '')}"


def _empty_range(match: re.Match[str]) -> str:
    return f"empty range for randrange() ({match[1]}, {match[2]}, {int(match[2]) - int(match[1])})"


LATER = [
    (r" without an implementation for abstract (methods?) ('[\w', ]+')", _abstract),
    (r"empty range in randrange\((-?\d+), (-?\d+)\)", _empty_range),
    (r"method resolution order \(MRO\)", "method resolution\norder (MRO)"),
    (r"(max|min)\(\) iterable argument is empty", r"\1() arg is an empty sequence"),
    (r"(int|print)\(\) got an unexpected keyword argument ('\w+')", r"\2 is an invalid keyword argument for \1()"),
    (r" and no __dict__ for setting new attributes", ""),
    (r"(unexpected keyword argument '\w+')\. Did you mean '\w+'\?", r"\1"),
]


def snippet_wording(text: str) -> str:
    """Return the text of an error in words that are the same under each Python and name no part of gradcli."""
    if sys.version_info >= (3, 12):
        for pattern, words in LATER:
            text = re.sub(pattern, words, text)
    return OURS.sub(_as_seen, text)


def _as_seen(match: re.Match[str]) -> str:
    """Return a class, or the beginning of an object, as snippets see it; what a snippet has made up is an object."""
    kind = getattr(sys.modules.get(match["module"]), "__dict__", {}).get(match["name"])
    kind = kind if isinstance(kind, type) else object
    shown = TYPES.get(type if issubclass(kind, BuiltinType | type) else SHOWN.get(kind, kind))
    name = full_name(kind) if shown is None else repr(shown)[len("<class '") : -len("'>")]
    return f"<{match['is_class'] or ''}{name}{match['end']}"
