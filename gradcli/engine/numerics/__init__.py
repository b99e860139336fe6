"""Arithmetic on numpy arrays whose last digit is that of torch.

Sums, matrix products, functions in single precision.
"""
