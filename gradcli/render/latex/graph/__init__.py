"""The graph in TikZ, whole or in part, for pages and slides."""
