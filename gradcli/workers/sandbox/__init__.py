"""The walls that the operating system puts around a process: what it may ask for, open and know."""
