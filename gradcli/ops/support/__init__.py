"""How operations are declared, how their arguments are read, and the table by which they are imported when used."""
