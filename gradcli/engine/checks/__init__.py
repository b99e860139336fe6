"""Checks before a primitive or its rules run: shapes, sizes that memory allows, the dtype of the result, versions.

A refusal has the words of torch.
"""
