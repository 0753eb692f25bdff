"""Thesis chapters 3 and 10: equilibria of one-card poker, and what refinements change."""
