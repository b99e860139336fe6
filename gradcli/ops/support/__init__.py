"""The declaration of operations, the reading of their arguments, and the table by which they are imported when used."""
