"""A compiler for each kind of statement and expression: from a node of the syntax tree to a closure."""
