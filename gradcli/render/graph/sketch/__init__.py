"""A graph as it is to be drawn: boxes with their lines of text, edges with their labels. Others decide the form."""
