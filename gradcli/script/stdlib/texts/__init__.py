"""Modules of the standard library about texts: patterns, documents, characters."""
