"""Operations that torch takes several nodes for, read as the one that the user wrote."""
