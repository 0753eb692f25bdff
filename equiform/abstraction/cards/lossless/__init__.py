"""Signals that may be merged because the game cannot tell them apart."""
