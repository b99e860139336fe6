"""Findings as text, as lines for editors and workflows, and as a document."""
