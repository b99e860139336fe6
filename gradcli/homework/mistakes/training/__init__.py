"""Mistakes in snippets that train: the steps of a descent, and statements that are forgotten or added."""
