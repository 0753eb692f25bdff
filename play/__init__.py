"""Agents and matches for repeated games."""
