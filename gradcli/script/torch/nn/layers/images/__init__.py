"""Layers of rows, images and volumes: windows that slide over them, borders, other sizes."""
