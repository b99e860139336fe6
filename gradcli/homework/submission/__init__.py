"""Submissions: the files of a class, and the answers in them as students type them.

Nothing in a submission is run.
"""
