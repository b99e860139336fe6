"""PyTorch snippets without PyTorch: an interpreter for Python, and the modules that a snippet may import.

Limits, errors and advice stand here; the rooms hold the language and the libraries.
"""
