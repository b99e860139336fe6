"""The timeline of a run: which line built, changed or asked for a tensor, and what each backward pass did.

Frozen dataclasses, as in `gradcli.explanation`.
"""
