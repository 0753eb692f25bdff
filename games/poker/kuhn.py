"""Kuhn poker and one-card poker: one card each, one round of betting (Kuhn 1950; Gordon's 13-card variant).

Both ante 1. The first player checks or bets 1; facing a bet a player calls or folds; after a check the second player
may bet. The higher card wins. With three cards (J, Q, K) this is Kuhn poker; the rules are the same for n cards.
"""

from __future__ import annotations

from fractions import Fraction

from equiform.games.poker.ranks import rank_names
from equiform.games.size import require_size
from equiform.models.common.arguments import require_count
from equiform.models.common.errors import ParameterError
from equiform.models.rules import CHANCE, TERMINAL

# State: (card of player 1, card of player 2, betting so far). Betting: "" check "c" bet "b" fold "f" call "k".
_State = tuple[int, int, str]

_TURN = {"": 0, "c": 1, "b": 1, "cb": 0}
_MOVES = {"": ("check", "bet"), "c": ("check", "bet"), "b": ("fold", "call"), "cb": ("fold", "call")}
_CODE = {"check": "c", "bet": "b", "fold": "f", "call": "k"}
# What player 1 wins with the higher card and without it.
_STAKES = {"cc": (1, -1), "bk": (2, -2), "cbk": (2, -2), "bf": (1, 1), "cbf": (-1, -1)}
_SO_FAR = {"": "to open", "c": "after check", "b": "after bet", "cb": "after check–bet"}


class Kuhn:
    """Rules of n-card Kuhn (one-card) poker."""

    players = ("player 1", "player 2")

    def __init__(self, cards: int = 3, name: str = "kuhn") -> None:
        require_count(cards, "cards", name, most=10**6)
        if cards < 2:
            raise ParameterError("one-card poker needs at least two cards", where=f"cards={cards}", fix="use 2 or more")
        require_size(9 * cards * (cards - 1), f"cards={cards}")
        self.name = name
        self.cards = cards
        self.ranks = rank_names(cards)
        self._deals = {
            f"{self.ranks[a]}{'' if cards <= 13 else ','}{self.ranks[b]}": (a, b, "")
            for a in range(cards)
            for b in range(cards)
            if a != b
        }
        self._deal_moves = tuple(self._deals)
        self._deal_odds = (Fraction(1, len(self._deals)),) * len(self._deals)
        self._pay = {betting: ((win, -win), (lose, -lose)) for betting, (win, lose) in _STAKES.items()}

    def initial(self) -> _State | None:
        """Return the undealt state."""
        return None

    def turn(self, state: _State | None) -> int:
        """Return whose move it is."""
        return CHANCE if state is None else _TURN.get(state[2], TERMINAL)

    def actions(self, state: _State | None) -> tuple[str, ...]:
        """Return the moves."""
        return self._deal_moves if state is None else _MOVES[state[2]]

    def probabilities(self, state: _State | None) -> tuple[Fraction, ...]:
        """Deal uniformly without replacement."""
        return self._deal_odds

    def next(self, state: _State | None, action: str) -> _State:
        """Return the state after a move."""
        if state is None:
            return self._deals[action]
        return state[0], state[1], state[2] + _CODE[action]

    def payoffs(self, state: _State) -> tuple[int, int]:
        """Return the payoffs at the end."""
        win, lose = self._pay[state[2]]
        return win if state[0] > state[1] else lose

    def infoset(self, state: _State) -> tuple[int, str]:
        """Return the mover's card and the betting."""
        betting = state[2]
        return (state[1] if _TURN[betting] else state[0]), betting

    def describe(self, key: tuple[int, str]) -> str:
        """Put an information set into words."""
        return f"holding {self.ranks[key[0]]}, {_SO_FAR[key[1]]}"
