"""A second class: other questions, other mistakes and ways of typing than those the catalogue was tuned on."""
