"""Plots: what a chart shows, drawn with dots in the terminal and as SVG."""
