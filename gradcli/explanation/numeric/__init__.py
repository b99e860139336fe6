"""Slopes of a program without its rules, and what they say of a gradient."""
