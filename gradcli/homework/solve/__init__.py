"""The right answers of a question, and the verdict on an answer.

Programs, snippets and formulas have a file each.
"""
