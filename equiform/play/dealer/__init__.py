"""Heads-up Texas hold'em as it is played: rules, betting, hands, logs and matches in one process."""

from typing import TYPE_CHECKING

from equiform.models.common.lazy import lazy

if TYPE_CHECKING:
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

__getattr__ = lazy(
    __name__,
    {
        "Action": "equiform.play.dealer.betting",
        "BettingState": "equiform.play.dealer.betting",
        "CALL": "equiform.play.dealer.betting",
        "DuplicateResult": "equiform.play.dealer.match",
        "FOLD": "equiform.play.dealer.betting",
        "HandRecord": "equiform.play.dealer.hand",
        "HoldemRules": "equiform.play.dealer.rules",
        "IllegalActionError": "equiform.play.dealer.betting",
        "LIMIT": "equiform.play.dealer.rules",
        "NO_LIMIT": "equiform.play.dealer.rules",
        "Player": "equiform.play.dealer.hand",
        "RULES": "equiform.play.dealer.rules",
        "View": "equiform.play.dealer.hand",
        "play_duplicate": "equiform.play.dealer.match",
        "play_hand": "equiform.play.dealer.hand",
        "read_log": "equiform.play.dealer.hand_log",
        "write_log": "equiform.play.dealer.hand_log",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
