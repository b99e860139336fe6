"""Everything that `gradcli check` is asked about a class."""

from __future__ import annotations

from dataclasses import field

from gradcli.commands.course.reports import usual_level
from gradcli.commands.options import ItemLimited, Reported
from gradcli.facts import dataclass
from gradcli.render.check.reports.registry import REPORTS


@dataclass
class Wanted:
    """Everything asked about a class: a report or a form, how much is told, and the limits; bugs are collected."""

    report: str | None
    reveal: str | None
    page: Reported
    limits: ItemLimited
    form: str
    all: bool
    jobs: int
    inputs: list[str]  # files that are not to be written
    bugs: list[str] = field(default_factory=list)

    @property
    def is_folder(self) -> bool:
        """Whether a page a student is written."""
        return self.page.is_folder and not self.report

    @property
    def is_private(self) -> bool:
        """Whether students get to read the results, each their own."""
        if self.report is None:
            return self.is_folder
        return REPORTS[self.report].per_student

    @property
    def level(self) -> str:
        """The level of disclosure: lower where students read the output."""
        return self.reveal or usual_level(self.report, is_folder=self.is_folder)
