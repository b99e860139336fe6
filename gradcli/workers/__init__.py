"""Work of strangers in processes of its own, under limits of time, memory and output that are watched from outside.

`watch` runs one command in a child, `pool` many items in workers that serve one after the other. This package knows
nothing of programs, snippets or homework; it imports only errors and sources.
"""
