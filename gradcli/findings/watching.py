"""The witness of a run whose moments are kept too, for a page."""

from __future__ import annotations

from gradcli.findings.witness import Witness
from gradcli.script.moments.watcher import Watcher


class WatchingWitness(Witness, Watcher):
    """Collects findings, the events of a run, and its moments."""
