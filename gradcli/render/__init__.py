"""Renderers: facts in, text or documents out. A file a renderer; no mathematics here."""
