"""The walk through an explanation, step by step, and the state of the graph after each step."""
