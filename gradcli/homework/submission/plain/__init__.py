"""Making answers plain: what students type is rewritten in the notation that the grammar reads.

Each module rewrites one kind of thing and knows nothing of right answers.
"""
