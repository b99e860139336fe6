"""Assignments: read from TOML, and checked.

An error names its line.
"""
