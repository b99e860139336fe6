"""The list that Gradescope writes beside an export: who handed in which folder."""

from __future__ import annotations

import re

METADATA = "submission_metadata.yml"
ENTRY = re.compile(r"(?P<indent> *)(?P<item>- )?:?(?P<key>[\w.-]+):(?: +(?P<value>.*))?")


def submitters(text: str) -> dict[str, list[dict[str, str]]]:
    """Return name, `sid` and email of those who handed in each folder.

    Only these lines of the YAML are read, as Gradescope writes them: `submission_1:` at the margin, below it
    `:submitters:`, and there `- :name: Ada`, `:sid: '17'`, `:email: ada@example.org`. Others, deeper in the history of
    a submission, hand in nothing here.
    """
    found: dict[str, list[dict[str, str]]] = {}
    folder, level, depth = "", -1, -1  # level: of the keys of a folder; depth: of `:submitters:`, while it is read
    for line in text.splitlines():
        entry = ENTRY.fullmatch(line.rstrip())
        if entry is None:
            folder = folder if line[:1].isspace() else ""  # a line at the margin that nobody knows: nobody's folder
            continue
        indent, key, value = len(entry["indent"]), entry["key"], entry["value"] or ""
        if indent == 0 and not entry["item"]:
            folder, level, depth = key, -1, -1
            found[folder] = []
            continue
        if not folder:
            continue
        level = indent if level < 0 else level
        if key == "submitters" and indent == level and not entry["item"]:
            depth = indent
        elif depth >= 0 and (indent > depth or (entry["item"] and indent == depth)):
            if entry["item"]:
                found[folder].append({})
            if found[folder]:
                found[folder][-1][key] = unquoted(value)
        else:
            depth = -1
    return found


def unquoted(value: str) -> str:
    """Return a scalar of YAML as its text."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"')
    return "" if value in ("null", "~") else value
