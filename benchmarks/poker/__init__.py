"""Poker: cards, abstractions, spots and tournaments at their real sizes."""
