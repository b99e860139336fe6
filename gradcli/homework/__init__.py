"""Homework: assignments and submissions are read, answers judged, and the mistake behind a wrong number named.

A room each for reading, solving and diagnosing.
"""
