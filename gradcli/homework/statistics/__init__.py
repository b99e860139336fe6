"""What the answers of a class say about its questions, and about pairs of students."""
