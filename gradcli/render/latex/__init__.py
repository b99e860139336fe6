"""Explanations as LaTeX: formulas and numbers, documents for a page, slides."""
