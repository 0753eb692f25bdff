"""Iterative solvers, and repeated games."""
