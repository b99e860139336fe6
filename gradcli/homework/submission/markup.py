"""Answers typed into a form of Moodle or Canvas, which hand them out as HTML: the text of its paragraphs."""

from __future__ import annotations

from html.parser import HTMLParser

BLOCKS = frozenset(("p", "br", "div", "li", "tr", "pre", "h1", "h2", "h3", "h4", "h5", "h6"))
UNSEEN = frozenset(("script", "style", "head", "title"))


def text_of(markup: str) -> str:
    """Return the text of HTML, a line a paragraph; a text without any tag stays as it is."""
    reader = _Reader()
    reader.feed(markup.replace("<![", "<! ["))  # a comment to browsers, at some of which the parser fails
    reader.close()
    return "".join(reader.found).replace("\xa0", " ") if reader.has_tags else markup


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.has_tags = False
        self.unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.has_tags = True
        self.unseen += tag in UNSEEN
        self.found.append("\n" * (tag in BLOCKS))

    def handle_endtag(self, tag: str) -> None:
        self.unseen -= tag in UNSEEN and self.unseen > 0
        self.found.append("\n" * (tag in BLOCKS))

    def handle_data(self, data: str) -> None:
        if not self.unseen:
            self.found.append(data)
