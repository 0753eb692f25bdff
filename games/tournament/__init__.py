"""Poker tournaments: chips and prizes, settlement of a hand, ICM, jam-or-fold stage games."""
