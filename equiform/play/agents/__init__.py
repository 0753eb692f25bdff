"""Agents that learn about their opponent."""
