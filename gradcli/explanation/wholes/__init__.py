"""Operations for which torch takes several nodes, put together as the user wrote them."""
