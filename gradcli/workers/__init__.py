"""Work of strangers in processes of its own, under limits that are watched from outside.

`watch` runs a whole command in a child; `pool` gives items to processes, and replaces a process that an item ended.
"""
