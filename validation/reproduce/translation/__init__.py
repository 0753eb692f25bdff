"""Thesis chapter 7: action translation."""
