"""Card abstractions of Rhode Island hold'em, the games they make, and their strategies in the real game."""

from equiform.abstraction.cards.rhode_island.buckets import METHODS, HandBuckets, rhode_island_buckets
from equiform.abstraction.cards.rhode_island.games import RealGame, abstract_game

__all__ = ["METHODS", "HandBuckets", "RealGame", "abstract_game", "rhode_island_buckets"]
