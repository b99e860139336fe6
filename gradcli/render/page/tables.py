"""The table of the tensors as of a step."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.render.page.html import Html, element

CAPTION = "The tensors as of this step"


def tensor_table(columns: Sequence[str], *bodies: Html) -> Html:
    """Return the table in a region of its own, which scrolls where the screen is narrow."""
    head = element("tr", *(element("th", column, scope="col") for column in columns))
    table = element(
        "table",
        element("caption", CAPTION),
        element("thead", head),
        *bodies,
        class_="facts",
    )
    return element("div", table, class_="scroll", tabindex=0, role="region", aria_label=CAPTION)
