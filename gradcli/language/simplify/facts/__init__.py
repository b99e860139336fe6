"""Facts that formulas are simplified by: the table of identities, properties of functions, shapes of results."""
