"""Reasons for tensor rules: the index formula of an operation, its derivative, and one entry in numbers."""
