"""Packages beside torch and numpy that snippets may call, and of which nothing is drawn: plots, progress bars."""
