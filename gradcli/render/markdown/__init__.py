"""Pages in Markdown: the rows of the terminal as tables, every text of somebody else's inside code."""
