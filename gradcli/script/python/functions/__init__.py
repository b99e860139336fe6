"""Functions, classes, generators and calls."""
