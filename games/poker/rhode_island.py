r"""Rhode Island hold'em (Shi and Littman 2001): one private card, two public ones, three rounds of limit betting.

Both players ante, get a card each and bet; a card is shown (the *flop*) and they bet; another one is shown (the *turn*)
and they bet again. Bets and raises have the size of their round, and there are at most so many in a round. The better
hand of three cards wins (:func:`~equiform.games.cards.one_card.three_card_strengths`). With the standard deck, an ante
of 5, bets of 10, 20 and 20 and at most three of them per round the tree has 3.1 billion nodes.

Smaller decks keep the highest ranks, and the highest rank still plays below the lowest in the lowest straight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from equiform.games.cards import card
from equiform.games.cards.one_card import OneCardGame, three_card_strengths
from equiform.games.poker.betting import Situation, betting_tree
from equiform.games.poker.public import public_betting
from equiform.games.poker.ranks import rank_names
from equiform.models.common.arguments import require_count
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.public.betting import BettingTree
from equiform.models.public.dealing import CardRules, deal_boards
from equiform.models.public.game import PublicGame

_SUITS = "cdhs"
_MOST_CHIPS = 10**6


@dataclass(frozen=True)
class RhodeIsland:
    """The parameters of the game, checked.

    Attributes
    ----------
    ranks, suits
        The deck: 2 to 13 ranks in 1 to 4 suits, at least four cards.
    ante
        What each player pays before the deal, in chips.
    bets
        The size of a bet or raise in each of the three rounds; as text ``10/20/20``.
    raises
        How many bets and raises there may be in a round.

    Examples
    --------
    >>> RhodeIsland(ranks=4).spec
    'rhode-island:ranks=4'
    >>> RhodeIsland().public().num_sequences
    (4921411, 4921411)
    """

    ranks: int = 13
    suits: int = 4
    ante: int = 5
    bets: str | Sequence[int] = "10/20/20"
    raises: int = 3

    def __post_init__(self) -> None:
        where = "rhode-island"
        require_count(self.ranks, "ranks", where, least=2, most=13)
        require_count(self.suits, "suits", where, least=1, most=len(_SUITS))
        if self.ranks * self.suits < 4:
            raise ParameterError(
                "two private and two public cards are dealt",
                where=f"ranks={self.ranks}, suits={self.suits}",
                fix="use a deck of at least four cards",
            )
        require_count(self.ante, "ante", where, most=_MOST_CHIPS)
        require_count(self.raises, "raises", where, least=0, most=6)
        object.__setattr__(self, "bets", "/".join(map(str, self._read_bets())))

    def _read_bets(self) -> tuple[int, ...]:
        words = self.bets.split("/") if isinstance(self.bets, str) else [str(b) for b in self.bets]
        wanted = ParameterError(
            f"bets={self.bets} are not three sizes",
            where="rhode-island",
            fix="use whole numbers of chips for the three rounds, such as 10/20/20",
        )
        if len(words) != 3 or not all(w.strip().isascii() and w.strip().isdigit() for w in words):
            raise wanted
        sizes = tuple(int(w) for w in words)
        if not all(0 < size <= _MOST_CHIPS for size in sizes):
            raise wanted
        return sizes

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the bets as numbers, by round."""
        return self._read_bets()

    @property
    def spec(self) -> str:
        """The game's name in the registry, with the parameters that differ from the defaults."""
        standard = RhodeIsland.__dataclass_fields__
        changed = [f"{k}={getattr(self, k)}" for k, f in standard.items() if getattr(self, k) != f.default]
        return f"rhode-island:{','.join(changed)}" if changed else "rhode-island"

    @cached_property
    def deck(self) -> card.Deck:
        """The deck: the standard one, or its highest ranks."""
        if (self.ranks, self.suits) == (13, 4):
            return card.STANDARD
        return card.Deck(f"{self.ranks}×{self.suits}", "".join(rank_names(self.ranks)), _SUITS[: self.suits])

    @cached_property
    def cards(self) -> OneCardGame:
        """The deck, the deals and who wins, for equities, GameShrink and card abstractions."""
        return OneCardGame(f"Rhode Island hold'em, {len(self.deck)} cards", self.deck, 2, self.strengths)

    def strengths(self, hands: IntArray) -> IntArray:
        """Return the strengths of hands of three cards."""
        return three_card_strengths(hands, self.deck)

    @cached_property
    def betting(self) -> BettingTree:
        """The public betting tree."""

        def sizes(now: Situation) -> list[tuple[str, int]]:
            if now.raises == self.raises:
                return []
            return [("raise" if now.raises else "bet", now.highest + self.sizes[now.round])]

        return public_betting(betting_tree(ante=self.ante, rounds=3, sizes=sizes))

    def public(self, *, isomorphism: bool = True) -> PublicGame:
        """Return the game as a public tree times private cards; boards and cards that suits alone tell apart meet."""

        def strength(hands: IntArray, board: IntArray) -> IntArray:
            return self.strengths(np.hstack([hands, np.tile(board, (len(hands), 1))]))

        rules = CardRules(self.ranks, self.suits, 1, (), (1, 1), strength, self.deck.text)
        everything = np.ones(rules.deck)
        dealt = deal_boards(rules, (everything, everything), isomorphism=isomorphism)
        return PublicGame(self.spec, self.betting, dealt.boards, dealt=dealt)
