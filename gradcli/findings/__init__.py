"""The catalogue of causes: why a gradient is None, zero, nan or doubled, one file a family.

A cause is declared once, with its page and an example; functions beside it look for it in a run.
"""
