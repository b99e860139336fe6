"""Modules of the standard library about data: containers, copies, classes of records, names of types."""
