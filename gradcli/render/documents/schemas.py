"""The JSON Schemas (draft 2020-12) of the documents that gradcli writes; `gradcli/schemas/NAME.json` are they."""

from __future__ import annotations

from importlib.resources import files

FOLDER = files("gradcli") / "schemas"


def names() -> list[str]:
    """The documents that have a schema, in alphabetical order."""
    return sorted(file.name.removesuffix(".json") for file in FOLDER.iterdir() if file.name.endswith(".json"))


def schema(name: str) -> str:
    """The schema of a document, as it stands in its file; KeyError where there is none of this name."""
    if name not in names():
        raise KeyError(name)
    return (FOLDER / f"{name}.json").read_text(encoding="utf-8")
