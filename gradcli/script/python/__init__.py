"""The Python of snippets: syntax compiled to closures, functions and classes, and the values that they handle."""
