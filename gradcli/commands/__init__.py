"""The commands, a file each: its options, one call, and the output.

Imported one at a time, when a command line asks for it.
"""
