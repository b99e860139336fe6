"""The commands, a file each: its options, one call, what to print.

Imported one at a time, when a command line asks for it.
"""
