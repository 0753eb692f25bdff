"""Trunks and endgames of any game: cut, extract, re-solve, glue back, and judge what it was worth."""
