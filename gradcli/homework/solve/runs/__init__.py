"""Runs of a snippet: the backward passes in it, and runs with a student's own numbers."""
