"""Text in a terminal: columns, colour, digits, symbols, errors, progress."""
