"""Shapes without numbers, such as `X:n,d`: formulas that hold at every size."""
