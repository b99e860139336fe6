"""The moments of a run, statement by statement: what was printed by then, and the state of each named tensor."""
