"""Derivatives of tensors by tensors: local Jacobians, and those of a whole program, of any order."""
