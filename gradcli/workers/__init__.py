"""Work of strangers in processes of its own, under limits that are watched from outside.

`watch` does a whole command in a child, `pool` item after item in processes that are replaced when one ends them.
"""
