"""Markup: elements around texts. A text from outside is escaped where it is put in, whatever it holds."""

from __future__ import annotations

import re

from gradcli.source import visible
from gradcli.stream.values import Json, dump

ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
VOID = frozenset(("br", "input", "link", "meta"))  # elements without content


class Html(str):
    """A text that is markup already."""

    __slots__ = ()


Content = str | None  # None is left out
Attribute = str | int | float | bool | None  # True is an attribute without a value, False and None are left out


def element(tag: str, *content: Content, **attributes: Attribute) -> Html:
    """Return an element; `data_step=3` is `data-step="3"`, and `class_` is `class`. Texts are escaped."""
    opening = f"<{tag}{''.join(_attribute(name, value) for name, value in attributes.items())}>"
    return Html(opening if tag in VOID else f"{opening}{joined(*content)}</{tag}>")


def joined(*content: Content) -> Html:
    """Return contents one after the other."""
    return Html("".join(map(safe, content)))


def safe(content: Content) -> Html:
    """Return a text as markup: escaped, and with invisible characters written out, unless it is markup already."""
    if content is None:
        return Html()
    return content if isinstance(content, Html) else Html(shown(content).translate(ESCAPED))


def shown(text: str) -> str:
    """Write out the characters of a text that nobody sees, and that may turn the others around; lines stay."""
    return "\n".join(map(visible, text.split("\n")))


def cut(text: str, longest: int) -> str:
    """Return a text with its invisible characters written out; of a long one the beginning."""
    told = visible(text)
    return told if len(told) <= longest else f"{told[: longest - 1].rstrip()}…"


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    spelled = name.rstrip("_").replace("_", "-")
    return f" {spelled}" if value is True else f' {spelled}="{safe(str(value))}"'


def data(document: Json, **attributes: Attribute) -> Html:
    """Return a document as a block of data, in which nothing can end the block."""
    text = re.sub("[<>&]", lambda found: f"\\u{ord(found[0]):04x}", dump(document))
    return element("script", Html(text), type="application/json", **attributes)
