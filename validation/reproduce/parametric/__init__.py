"""Thesis chapter 11: parametric models."""
