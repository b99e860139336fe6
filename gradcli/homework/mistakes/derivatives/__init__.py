"""Mistakes in derivatives: a rule of one operation, or the chain rule that joins them."""
