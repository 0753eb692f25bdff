"""PokerKit as the referee of our dealer: it replays a log by rules of its own."""

from __future__ import annotations

from collections.abc import Sequence

import pokerkit

from equiform.play.dealer import LIMIT, HandRecord, HoldemRules
from equiform.play.dealer.hand_log import state_line


def referee_chips(rules: HoldemRules, records: Sequence[HandRecord]) -> list[tuple[int, int]]:
    """Return what each seat won in every hand, as PokerKit has it; an illegal move raises."""
    blinds = rules.blinds[::-1]  # heads-up, PokerKit gives its first player the second blind, as seat 0 has it here
    if rules is LIMIT:
        game = pokerkit.FixedLimitTexasHoldem((), True, 0, blinds, rules.bets[0], rules.bets[3])
    else:
        game = pokerkit.NoLimitTexasHoldem((), True, 0, blinds, rules.big_blind)
    text = "\n".join(map(state_line, records)) + "\n"
    chips = []
    for hand in pokerkit.HandHistory.from_acpc_protocol(game, rules.stack, text, error_status=True):
        *_, last = hand
        chips.append((int(last.payoffs[0]), int(last.payoffs[1])))
    return chips
