"""Graded homework: the page of a student, the table of a class, the key, the document."""
