"""Poker games, from Kuhn's to no-limit Leduc hold'em."""
