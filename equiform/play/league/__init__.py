"""Agents against each other: who plays, what they win, and how much could be won from them."""
