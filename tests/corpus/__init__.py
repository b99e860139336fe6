"""The lessons that decide what is here: an index of the names that they use, and what else has a reason to stand."""
