"""The catalogue of causes: why a gradient is None, zero, nan, doubled or huge, and why a network does not learn.

One file is one family of causes. A cause is declared once, with its page and an example; functions beside it look for
it in a run (`witness`), and `judging` puts what they find in order.
"""
