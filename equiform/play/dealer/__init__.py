"""Heads-up Texas hold'em as it is played: rules, betting, hands, logs and matches in one process."""

from equiform.play.dealer.betting import CALL, FOLD, Action, BettingState, IllegalActionError
from equiform.play.dealer.hand import HandRecord, Player, View, play_hand
from equiform.play.dealer.hand_log import read_log, write_log
from equiform.play.dealer.match import DuplicateResult, play_duplicate
from equiform.play.dealer.rules import LIMIT, NO_LIMIT, RULES, HoldemRules

__all__ = [
    "CALL",
    "FOLD",
    "LIMIT",
    "NO_LIMIT",
    "RULES",
    "Action",
    "BettingState",
    "DuplicateResult",
    "HandRecord",
    "HoldemRules",
    "IllegalActionError",
    "Player",
    "View",
    "play_duplicate",
    "play_hand",
    "read_log",
    "write_log",
]
