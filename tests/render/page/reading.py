"""A page read back, as a browser without scripts would have it: its elements with their attributes and their text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = ("br", "input", "link", "meta")


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    parts: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(part if isinstance(part, str) else part.text for part in self.parts)

    def all(self, name: str) -> list[Element]:
        """The elements below with an attribute, or with a tag, of this name; in the order of the page."""
        found = []
        for part in self.parts:
            if isinstance(part, Element):
                found.extend([part] if name in part.attributes or part.tag == name else [])
                found.extend(part.all(name))
        return found

    def one(self, name: str) -> Element:
        (found,) = self.all(name)
        return found


class Reader(HTMLParser):
    """Reads a page, and fails where elements are not closed as they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        assert len(attrs) == len(element.attributes), f"an attribute of {tag} stands there twice"
        self.open[-1].parts.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].parts.append(data)


def read(page: str) -> Element:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == [reader.root]
    return reader.root


def block(page: Element, id: str) -> Any:
    """The JSON document in a block of data."""
    (found,) = (element for element in page.all("script") if element.attributes.get("id") == id)
    return json.loads(found.text)


def own_size(page: str) -> int:
    """The bytes of a page beside its data: the document, the tracks, and what the steps say."""
    bare = re.sub(r'<script type="application/json".*?</script>|<ol class="steps">.*</ol>|<svg.*?</svg>', "", page)
    return len(bare.encode())
