"""Arithmetic whose last digit is that of torch: sums, matrix products, functions in single precision.

Only numpy arrays here; no tensors.
"""
