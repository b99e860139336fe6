"""Indexing: `x[...]`, gather and scatter, and writing to a part of a tensor."""
