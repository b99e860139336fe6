"""Torch's words for arguments that are missing or too many."""

from __future__ import annotations


def missing(name: str, absent: list[str]) -> str:
    """Return torch's words for arguments that are not given, with the plural where one is missing."""
    listed = ", ".join(f'"{one}"' for one in absent)
    return f"{name}() missing {len(absent)} required positional argument{'s' * (len(absent) == 1)}: {listed}"


def too_many(name: str, least: int, most: int, given: int) -> str:
    """Return torch's words for more arguments than a way of calling takes."""
    if least != most:
        return f"{name}() takes from {least} to {most} positional arguments but {given} were given"
    was, s = ("was" if given == 1 else "were"), "" if most == 1 else "s"
    return f"{name}() takes {most} positional argument{s} but {given} {was} given"
