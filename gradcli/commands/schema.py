"""`gradcli schema`: the JSON Schemas of the documents that `--json` prints."""

from __future__ import annotations

from typing import Annotated

from gradcli.commands.declared import Argument
from gradcli.commands.options import one_of


def completed(incomplete: str) -> list[str]:
    """The documents that a shell may complete a beginning to."""
    from gradcli.render.documents.schemas import names

    return [name for name in names() if name.startswith(incomplete)]


def command(
    name: Annotated[
        str | None,
        Argument(metavar="[NAME]", help="The document; without it, the names.", autocompletion=completed),
    ] = None,
) -> None:
    """Print the JSON Schema of a document, or the names of all.

    \b
    Examples:
      gradcli schema
      gradcli schema explanation
    """
    from gradcli.render.documents.schemas import names, schema
    from gradcli.render.text.streams import print_text

    if name is None:
        print_text("\n".join(names()))
        return
    stem = name.removeprefix("gradcli.").partition("/")[0]
    print_text(schema(one_of("schema", stem, names())).rstrip())
