"""Explanations of live graphs of torch, which this room alone imports, and only where a graph is given to it."""
