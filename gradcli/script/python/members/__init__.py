"""The attributes that values have for a snippet: tables of them, and what no snippet reads or sets."""
