"""The values of a question: numbers, or a choice of them that differs from sheet to sheet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradcli.errors import GradcliError
from gradcli.explanation.refusals import numbers
from gradcli.explanation.values import constant
from gradcli.homework.assignment.choices import CHOOSE, Choice, read_choice
from gradcli.homework.assignment.numbers import literals
from gradcli.homework.assignment.places import Path
from gradcli.homework.assignment.tables import Tables
from gradcli.language.names import read_name
from gradcli.language.parser import parse_expression
from gradcli.source import Source


class Values(Tables):
    def point(self, table: Mapping[str, Any], path: Path, script: Source | None) -> dict[str, Any]:
        """The values of the variables: numbers, nested lists, texts with a constant expression, or a choice of them.

        Those of a script are choices alone, of names to which it gives numbers.
        """
        at = self.typed(table, path, "at", dict, {})
        found = {read_name(name) or name: self.given(value, (*path, "at", name)) for name, value in at.items()}
        known = None if script is None else literals(script.text)
        for name, value in found.items() if script else ():
            if not isinstance(value, Choice):
                place, what = self.places.value(*path, "at", name), "a script has its values in itself"
                raise self.refuse(place, what, f"remove {name}, or {CHOOSE}")
            if known is not None and name not in known:
                place, what = self.places.key(*path, "at", name), f"the script gives no number to {name}"
                raise self.refuse(place, what, f"write {name} = torch.tensor(1.5) in it, or {name} = 1.5")
        return found

    def given(self, value: Any, path: Path) -> Any:
        if not isinstance(value, dict):
            return self.value(value, path)
        return read_choice(value, path, self.value, lambda place, *told: self.refuse(self.places.value(*place), *told))

    def value(self, value: Any, path: Path) -> Any:
        span = self.places.value(*path)
        try:
            if isinstance(value, str):
                text = Source(value, str(path[-1]))
                value = constant(parse_expression(text), text)
            return numbers(value, f"the value of {path[-1]}")
        except GradcliError as error:
            if error.span is not None and isinstance(value, str):
                span = self.places.within(path, error.span)
            raise self.refuse(span, error.message, "write at = { x = 2, w = [0.5, 1], c = '1/3' }") from None
