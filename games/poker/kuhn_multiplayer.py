r"""Kuhn poker for three and more players (Abou Risk and Szafron 2010).

With n players the deck has n + 1 cards. All ante 1. In turn the players check or bet 1; once somebody has bet, each of
the others in turn calls or folds, and the hand is over. The highest card among those who put in the bet wins the pot,
or among all if everybody checks. With two players this is Kuhn poker itself.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

from equiform.games.poker.ranks import rank_names
from equiform.models.common.arguments import require_count
from equiform.models.common.errors import ParameterError
from equiform.models.rules import CHANCE, TERMINAL

# (everybody's cards, moves so far as one letter each: check "c", bet "b", fold "f", call "k"); None before the deal.
State = tuple[tuple[int, ...], str]
Key = tuple[int, str]

_CODE = {"check": "c", "bet": "b", "fold": "f", "call": "k"}
_WORD = {code: word for word, code in _CODE.items()}


class KuhnMultiplayer:
    """Rules of n-player Kuhn poker.

    >>> KuhnMultiplayer(3).describe((2, "cb"))
    'holding K, after check–bet'
    """

    def __init__(self, players: int = 3) -> None:
        require_count(players, "players", "kuhn-multiplayer", most=100)
        if players < 2:
            raise ParameterError("the game needs at least two players", where=f"players={players}", fix="use 2 or more")
        self.name = "kuhn-multiplayer"
        self.players = tuple(f"player {k + 1}" for k in range(players))
        self.ranks = rank_names(players + 1)
        hands = list(permutations(range(players + 1), players))
        gap = "" if players < 13 else ","
        self._deals: dict[str, State] = {gap.join(self.ranks[c] for c in hand): (hand, "") for hand in hands}
        self._deal_moves = tuple(self._deals)
        self._deal_odds = (Fraction(1, len(hands)),) * len(hands)

    def initial(self) -> State | None:
        """Return the undealt state."""
        return None

    def turn(self, state: State | None) -> int:
        """Return whose move it is."""
        if state is None:
            return CHANCE
        history, n = state[1], len(self.players)
        bettor = history.find("b")
        over = len(history) == (n if bettor < 0 else bettor + n)
        return TERMINAL if over else len(history) % n

    def actions(self, state: State | None) -> tuple[str, ...]:
        """Return the moves."""
        if state is None:
            return self._deal_moves
        return ("fold", "call") if "b" in state[1] else ("check", "bet")

    def probabilities(self, state: State | None) -> tuple[Fraction, ...]:
        """Deal uniformly without replacement."""
        return self._deal_odds

    def next(self, state: State | None, action: str) -> State:
        """Return the state after a move."""
        if state is None:
            return self._deals[action]
        return state[0], state[1] + _CODE[action]

    def payoffs(self, state: State) -> tuple[int, ...]:
        """Pay the pot to the highest card among those who put in the bet, or among all if there was none."""
        cards, history = state
        n = len(cards)
        in_bet = {k % n for k, move in enumerate(history) if move in "bk"}
        winner = max(in_bet or range(n), key=cards.__getitem__)
        paid = [2 if p in in_bet else 1 for p in range(n)]
        return tuple(sum(paid) - paid[p] if p == winner else -paid[p] for p in range(n))

    def infoset(self, state: State) -> Key:
        """Return the mover's card and the betting."""
        cards, history = state
        return cards[len(history) % len(cards)], history

    def describe(self, key: Key) -> str:
        """Put an information set into words."""
        card, history = key
        betting = "–".join(_WORD[code] for code in history)
        return f"holding {self.ranks[card]}, {'after ' + betting if betting else 'to open'}"
