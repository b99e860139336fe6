"""The graph of a program: a tree in the terminal, DOT, Mermaid."""
