"""The step page: one HTML file that a reader walks through, for programs and for snippets."""
