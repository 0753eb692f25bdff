r"""Limit Leduc hold'em (Southey et al. 2005): a small poker game with a public card.

The deck has three ranks in two suits. Both ante 1 and get one card; after a round of betting one card is shown to both
and there is a second round. Bets and raises are 2 in the first round and 4 in the second, at most two (the bet and one
raise) per round. A card that pairs the public one wins, otherwise the higher rank; equal ranks share the pot. The value
to player 1 is −0.085606….

Suits decide nothing, so cards are dealt **by rank**, each deal with the exact probability of all the suits it stands
for. That merges information sets that differ only in suits: 337 sequences per player instead of the 1,093 of a game
that tells the suits apart, and the same value, for a strategy may ignore suits and an opponent gains nothing from them.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from equiform.games.poker.betting import BettingNode, Payoffs, Situation, betting_tree, betting_words
from equiform.games.poker.ranks import rank_names
from equiform.models.common.arguments import require_count
from equiform.models.common.errors import ParameterError
from equiform.models.rules import CHANCE

_HIDDEN = -1

# (rank of player 1, rank of player 2, rank of the public card or _HIDDEN, betting so far); None before the deal.
State = tuple[int, int, int, BettingNode]
Key = tuple[int, int, str]


class CommunityCardPoker:
    """One private card each, a public card between two rounds of betting; the betting tree is a parameter."""

    players = ("player 1", "player 2")

    def __init__(self, name: str, ranks: int, suits: int, betting: BettingNode) -> None:
        for what, number in (("ranks", ranks), ("suits", suits)):
            require_count(number, what, name, most=10_000)
        if ranks * suits < 3:
            raise ParameterError(
                "the deck needs at least three cards",
                where=f"ranks={ranks}, suits={suits}",
                fix="use more ranks or suits",
            )
        self.name = name
        self.ranks = rank_names(ranks)
        self.betting = betting
        gap = "" if ranks <= 13 else ","
        deck = ranks * suits
        self._deals: dict[str, State] = {}
        deal_odds: list[Fraction] = []
        self._boards: dict[tuple[int, int], tuple[str, ...]] = {}
        self._board_odds: dict[tuple[int, int], tuple[Fraction, ...]] = {}
        for a in range(ranks):
            for b in range(ranks):
                pairs = suits * (suits - (a == b))
                if pairs == 0:
                    continue
                self._deals[f"{self.ranks[a]}{gap}{self.ranks[b]}"] = (a, b, _HIDDEN, betting)
                deal_odds.append(Fraction(pairs, deck * (deck - 1)))
                held = Counter((a, b))
                left = {c: suits - held[c] for c in range(ranks) if suits > held[c]}
                self._boards[a, b] = tuple(self.ranks[c] for c in left)
                self._board_odds[a, b] = tuple(Fraction(n, deck - 2) for n in left.values())
        self._deal_moves = tuple(self._deals)
        self._deal_odds = tuple(deal_odds)
        self._rank_number = {r: k for k, r in enumerate(self.ranks)}

    def initial(self) -> State | None:
        """Return the undealt state."""
        return None

    def turn(self, state: State | None) -> int:
        """Return whose move it is."""
        return CHANCE if state is None else state[3].turn

    def actions(self, state: State | None) -> tuple[str, ...]:
        """Return the moves."""
        if state is None:
            return self._deal_moves
        return state[3].moves or self._boards[state[0], state[1]]

    def probabilities(self, state: State | None) -> tuple[Fraction, ...]:
        """Deal by rank, without replacement."""
        return self._deal_odds if state is None else self._board_odds[state[0], state[1]]

    def next(self, state: State | None, action: str) -> State:
        """Return the state after a move."""
        if state is None:
            return self._deals[action]
        first, second, board, node = state
        if node.street is not None:
            return first, second, self._rank_number[action], node.street
        return first, second, board, node.after[action]

    def payoffs(self, state: State) -> Payoffs:
        """Return the payoffs at the end: a pair beats the higher rank."""
        first, second, board, node = state
        if first == second:
            return node.pay[0]
        if first == board or (first > second and second != board):
            return node.pay[1]
        return node.pay[2]

    def infoset(self, state: State) -> Key:
        """Return the mover's card, the public card and the betting."""
        node = state[3]
        return state[1] if node.turn else state[0], state[2], node.history

    def describe(self, key: Key) -> str:
        """Put an information set into words."""
        card, board, history = key
        shown = "" if board == _HIDDEN else f"board {self.ranks[board]}, "
        return f"holding {self.ranks[card]}, {shown}{betting_words(history)}"


class Leduc(CommunityCardPoker):
    """Rules of limit Leduc hold'em.

    >>> from equiform.models.compile import compile_rules
    >>> compile_rules(Leduc()).num_sequences(0)
    337
    """

    def __init__(self, ranks: int = 3, suits: int = 2) -> None:
        super().__init__("leduc", ranks, suits, betting_tree(ante=1, rounds=2, sizes=limit_bets))


def limit_bets(now: Situation) -> list[tuple[str, int]]:
    """Allow a bet and one raise per round, of 2 and then 4."""
    if now.raises == 2:
        return []
    return [("raise" if now.raises else "bet", now.highest + (2, 4)[now.round])]
