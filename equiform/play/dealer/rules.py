"""The two games of the Annual Computer Poker Competition: heads-up limit and no-limit Texas hold'em, blinds reversed.

Seat 0 posts the big blind and seat 1, the dealer, the small one. Seat 1 acts first before the flop, seat 0 on every
later street.
"""

from __future__ import annotations

from dataclasses import dataclass

from equiform.models.common.arguments import require_name

STREETS = ("preflop", "flop", "turn", "river")
#: Board cards in sight on each street.
BOARD_CARDS = (0, 3, 4, 5)
#: Who opens each street.
FIRST = (1, 0, 0, 0)


@dataclass(frozen=True)
class HoldemRules:
    """What may be bet in a heads-up game of Texas hold'em."""

    name: str
    blinds: tuple[int, int]
    """Of seat 0 and of seat 1."""
    stack: int
    """What each player can put in during a hand; every hand begins with full stacks."""
    bets: tuple[int, ...] = ()
    """Limit: the size of every bet and raise, by street; empty for no-limit."""
    raises: tuple[int, ...] = ()
    """Limit: how many bets and raises each street allows, the blinds not counted."""
    file: str = ""
    """What the competition's own server calls the game's definition."""

    @property
    def limit(self) -> bool:
        """Whether sizes are fixed."""
        return bool(self.bets)

    @property
    def big_blind(self) -> int:
        """The larger blind: results are stated in thousandths of it."""
        return max(self.blinds)

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"name": self.name, "blinds": list(self.blinds), "stack": self.stack, "bets": list(self.bets)}


LIMIT = HoldemRules("limit", (10, 5), 240, (10, 10, 20, 20), (3, 4, 4, 4), "holdem.limit.2p.reverse_blinds.game")
NO_LIMIT = HoldemRules("no-limit", (100, 50), 20_000, file="holdem.nolimit.2p.reverse_blinds.game")

#: The games by name.
RULES = {rules.name: rules for rules in (LIMIT, NO_LIMIT)}


def rules_named(name: str) -> HoldemRules:
    """Return the game of that name, or say which there are.

    >>> rules_named("limit").big_blind
    10
    """
    return RULES[require_name(name, RULES, "game of hold'em", "dealer")]
