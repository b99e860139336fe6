"""The graph of a program: a tree in the terminal, and pictures as SVG, DOT, Mermaid."""
