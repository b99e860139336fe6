"""Operations that a course teaches as one, though torch takes several nodes with rules of their own for them."""
