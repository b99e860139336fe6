"""The text of values: `print`, `repr`, f-strings, `%`, `str.format`, and the words of errors.

Never longer than the limits allow.
"""
