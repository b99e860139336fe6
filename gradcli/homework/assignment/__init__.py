"""Assignments: read from TOML, checked, listed, and filled in with the right answers.

An error names its line.
"""
