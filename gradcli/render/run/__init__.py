"""The run of a snippet: its timeline as a page and as a document."""
