"""Formulas as a person writes them: sums of products over opaque parts, a table of identities, the shortest form.

`simplifier` has the entry; each formula gets an algebra of its own.
"""
