"""A synthetic class: students who make known and unknown mistakes by plain arithmetic, and how well grading sees it."""
