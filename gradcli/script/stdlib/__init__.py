"""Modules of the standard library as snippets see them, a file for one or for a few that belong together."""
