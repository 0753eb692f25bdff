"""Pyomo models to arrays, arrays to a solver. Nothing here knows what a game is."""
