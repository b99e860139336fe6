"""Statistics of the answers of a class: about its questions, and about pairs of students."""
