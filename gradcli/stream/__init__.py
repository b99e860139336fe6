"""Streams of records: points read from JSON Lines and CSV, and the plan by which a program is run at all of them."""
