"""Exercises on a page and as records for other front ends."""
