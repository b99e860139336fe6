"""Drawings of graphs in layers: pure geometry, for whatever the boxes stand for."""
