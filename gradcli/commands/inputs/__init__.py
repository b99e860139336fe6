"""Where programs, snippets and values come from."""
