"""Operations entry by entry: arithmetic, comparisons, elementary and special functions.

Operands broadcast; the engine sums what flows back.
"""
