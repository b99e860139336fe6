"""Recurrent layers and cells, and the steps that both take."""
