"""The moments of a run, statement by statement: what was printed by then, and how each tensor that has a name stood."""
