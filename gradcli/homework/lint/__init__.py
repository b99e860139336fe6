"""Checks of an assignment before it is handed out, and other values that would make it better."""
