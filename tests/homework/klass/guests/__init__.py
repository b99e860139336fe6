"""A third class, by another hand: its own questions, accidents and numbers."""
