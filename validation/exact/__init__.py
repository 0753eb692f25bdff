"""Exact rational answers: linear algebra, linear programs, equilibria and refinements."""
