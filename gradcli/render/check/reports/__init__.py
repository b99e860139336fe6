"""Graded homework in the formats of other tools, a file each."""
