"""The document of findings, schema `gradcli.findings/1`."""

from __future__ import annotations

from dataclasses import asdict

from gradcli.findings.examination import Examination
from gradcli.render.documents.explanation import Document


def findings_document(examined: Examination) -> Document:
    return {
        "schema": "gradcli.findings/1",
        "ok": examined.is_clean,
        "file": examined.file,
        "looked": examined.looked,
        "findings": [{**asdict(one), "see": list(one.see)} for one in examined.findings],
        "error": None if examined.error is None else examined.error.facts(),
    }
