"""Operations that summarize entries: sums, extremes, norms, order, statistics.

Over all entries or over dimensions.
"""
