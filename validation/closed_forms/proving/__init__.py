"""Stating a formula and proving it: expressions, parameters, signs, verdicts."""
