"""From a program to facts: evaluation, local derivatives, the chain rule, formulas, notes, verification.

Frozen dataclasses without colour, rounding or prose; `gradcli.render` shows them.
"""
