"""A course: sheets that differ, who is in it, where the work lies, attempts, corrections by hand, grading again.

Nothing here judges an answer: it says whose work is graded, with which numbers, and what its verdicts count.
"""
