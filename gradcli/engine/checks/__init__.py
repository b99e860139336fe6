"""Checks before a primitive runs: shapes that fit, sizes that memory allows, the dtype of the result.

A refusal has the words of torch.
"""
