"""Texas hold'em as players speak of it: ranges, bet sizes, betting trees and spots."""

from equiform.games.poker.holdem.bet_sizes import BetSizes, parse_sizes
from equiform.games.poker.holdem.betting import Betting
from equiform.games.poker.holdem.ranges import Range
from equiform.games.poker.holdem.spot import Spot

__all__ = ["BetSizes", "Betting", "Range", "Spot", "parse_sizes"]
