"""Causes of trouble at a point: numbers that are not finite or have lost digits, gradients that vanish, dead units."""
