"""Pyomo model to arrays, arrays to a solver."""
