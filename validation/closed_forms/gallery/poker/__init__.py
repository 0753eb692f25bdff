"""Poker games with known solutions."""
