"""Programs for equilibria of two-player zero-sum games."""
