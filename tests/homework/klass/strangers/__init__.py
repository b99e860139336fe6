"""A second class: other questions, other mistakes and other ways of typing than those that the catalogue was tuned on."""
