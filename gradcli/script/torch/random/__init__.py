"""Random numbers as torch draws them on the CPU: the same seed gives the same numbers."""
