"""Tables of the files that make the members of a module, so that a snippet loads those that it uses and no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any


class Places(Mapping[str, Any]):
    """Members by name, each imported when it is asked for; a test holds the table to the files that make them."""

    def __init__(self, package: str, names: dict[str, str]) -> None:
        self.place_of = {name: f"{package}.{place}" for place, listed in names.items() for name in listed.split()}

    def __getitem__(self, name: str) -> Any:
        return getattr(import_module(self.place_of[name]), name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.place_of)

    def __len__(self) -> int:
        return len(self.place_of)
