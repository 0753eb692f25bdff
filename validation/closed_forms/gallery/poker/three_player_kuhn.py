"""Three-player Kuhn poker: a family of equilibria in four parameters (Szafron, Gibson and Sturtevant 2013).

Player 1 never bets. Player 2 bluffs Jacks and Queens after a check with probabilities b11 and b21 and bets an Ace twice
as often as both together; player 3 bluffs every other Queen. What players 2 and 3 would do after a bet by player 1, b32
and c33 with a King, only has to deter it. This is the sub-family in which player 3 never bluffs a Jack, for b32 up to
one half. By choosing b11 and b21 player 2 moves money between the other two.
"""

from __future__ import annotations

from typing import Any

from equiform.games.poker.kuhn_multiplayer import KuhnMultiplayer
from equiform.validation.closed_forms.families import Equilibrium, tree_game
from equiform.validation.closed_forms.proving.document import Statement

PARAMETERS = {
    "b21": "0 <= b21 <= 1/4",
    "b11": "0 <= b11 <= b21",
    "b32": "0 <= b32 <= 1/2",
    "c33": "1/2 - b32 <= c33 <= 1/2 - b32 + (3*b11 + 4*b21)/4",
}

#: Per player and betting so far (c check, b bet, f fold, k call): how often J, Q, K and A bet or call.
BETS: tuple[dict[str, list[Any]], ...] = (
    {"": [0, 0, 0, 0], "ccb": [0, 0, 0, 1], "cbf": [0, 0, "1/2", 1], "cbk": [0, 0, 0, 1]},
    {
        "c": ["b11", "b21", 0, "2*b11 + 2*b21"],
        "b": [0, 0, "b32", 1],
        "ccbf": [0, 0, "(1 + b11 + 2*b21)/2", 1],
        "ccbk": [0, 0, 0, 1],
    },
    {"cc": [0, "1/2", 0, 1], "cb": [0, 0, 0, 1], "bf": [0, 0, "c33", 1], "bk": [0, 0, 0, 1]},
)


def statement(parameters: dict[str, str] | None = None, bets: Any = BETS) -> Statement:
    """State the family, or a variant of it."""
    rules = KuhnMultiplayer(3)
    family = tree_game(rules, PARAMETERS if parameters is None else parameters)
    strategies: list[dict[str, list[Any]]] = [{}, {}, {}]
    for h in family.infosets.values():
        key: Any = h.key
        p = bets[h.player][key[1]][key[0]]
        strategies[h.player][rules.describe(key)] = [f"1 - ({p})", p]
    return Statement(
        "kuhn-three",
        "D. Szafron, R. Gibson and N. Sturtevant, A parameterized family of equilibrium profiles, AAMAS 2013",
        family,
        Equilibrium(strategies),
        "Three-player Kuhn poker: a family of equilibria.",
    )
