"""Solvers of public games: regret matching over whole vectors of hands."""
