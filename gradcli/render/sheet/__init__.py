"""The sheet that a student gets: questions with their values and blanks, and nothing of the key."""
