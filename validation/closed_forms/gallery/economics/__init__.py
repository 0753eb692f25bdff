"""Auctions and oligopolies with known solutions."""
