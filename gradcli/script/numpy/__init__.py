"""numpy as snippets see it: sizes are measured before numpy computes."""
