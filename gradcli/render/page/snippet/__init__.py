"""The step page of a snippet: its code line by line, what it printed, its tensors, and the graph as it grows."""
