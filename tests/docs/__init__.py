"""The documentation: its sources are in `samples/site`; `python -m tests.docs` runs their examples and builds it."""
