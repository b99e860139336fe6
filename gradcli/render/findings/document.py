"""The document of findings, schema `gradcli.findings/1`."""

from __future__ import annotations

from dataclasses import asdict

from gradcli.findings.examination import Examination
from gradcli.findings.finding import Finding
from gradcli.render.documents.explanation import Document


def finding(one: Finding) -> Document:
    return {**asdict(one), "see": list(one.see)}


def findings_document(examined: Examination) -> Document:
    return {
        "schema": "gradcli.findings/1",
        "ok": examined.is_clean,
        "file": examined.file,
        "looked": examined.looked,
        "findings": [*map(finding, examined.findings)],
        "error": None if examined.error is None else examined.error.facts(),
    }
