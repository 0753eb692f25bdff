"""Concrete rules, cards, random games, and readers and writers of foreign formats."""
