"""Tensors as snippets see them: making, printing, dtypes, memory, attributes."""
