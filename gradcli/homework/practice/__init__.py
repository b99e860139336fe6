"""Exercises at the terminal: which quantity is asked for, and how much is told after each answer."""
