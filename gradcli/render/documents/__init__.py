"""The JSON documents, their schemas, and numpy values as JSON has them."""
