r"""Card abstraction of Leduc hold'em by groups of ranks (Waugh et al. 2009; Ganzfried 2015, §8.5.1).

``JQ.K`` tells a King from the rest before the public card; cards of a group look alike. Afterwards a player knows their
group and whether they hold a pair, and nothing else of the public card. ``full`` keeps everything. Each player has an
abstraction of their own, so that an abstract game is named by a pair.

The abstract game is the real one with coarser information sets; a real strategy plays at every information set what the
abstract strategy plays at its image.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from equiform.games.leduc import CommunityCardPoker
from equiform.models.errors import ParameterError
from equiform.models.rational import Number
from equiform.models.treeplex import Treeplex

_HIDDEN = -1


class RankGroups:
    """Rules of a community-card game whose players see groups of ranks.

    >>> from equiform.games.leduc import Leduc
    >>> from equiform.models.extensive import compile_rules
    >>> # 7 moves in a round of betting, 5 ways from the first round to the second, two groups of cards and of boards
    >>> compile_rules(RankGroups(Leduc(), "JQ.K", "full")).num_sequences(0) == 1 + 2 * 7 + 2 * 2 * 5 * 7
    True
    """

    def __init__(self, rules: CommunityCardPoker, first: str, second: str) -> None:
        self.full = rules
        self.name = f"{rules.name}, {first} against {second}"
        self.players = rules.players
        self.groups = tuple(_parse(rules, text) for text in (first, second))

    def initial(self) -> Any:
        """Return the root state."""
        return self.full.initial()

    def turn(self, state: Any) -> int:
        """Return whose move it is."""
        return self.full.turn(state)

    def actions(self, state: Any) -> Sequence[str]:
        """Return the moves."""
        return self.full.actions(state)

    def probabilities(self, state: Any) -> Sequence[Number]:
        """Return chance's distribution."""
        return self.full.probabilities(state)

    def next(self, state: Any, action: str) -> Any:
        """Return the state after a move."""
        return self.full.next(state, action)

    def payoffs(self, state: Any) -> Sequence[Number]:
        """Return the payoffs at the end."""
        return self.full.payoffs(state)

    def infoset(self, state: Any) -> Hashable:
        """Return what the mover sees."""
        return self.image(self.full.turn(state), self.full.infoset(state))

    def image(self, player: int, key: Any) -> Hashable:
        """Give the abstract information set of a real one."""
        groups = self.groups[player]
        if groups is None:
            return key
        card, board, history = key
        return groups[card], "" if board == _HIDDEN else "pair" if board == card else "no pair", history

    def describe(self, key: Any) -> str:
        """Put an information set into words."""
        if isinstance(key[1], int):
            return self.full.describe(key)
        group, pair, history = key
        return ", ".join(filter(None, (f"holding {group}", pair, history or "to open")))

    def lift(self, full: Treeplex, abstract: Treeplex, player: int) -> sp.csr_array:
        """Give the matrix that turns an abstract plan or behavioural strategy into the real one."""
        number = {key: h for h, key in enumerate(abstract.infosets)}
        images = np.array([number[self.image(player, key)] for key in full.infosets], dtype=np.int64)
        sizes = np.diff(full.start)
        place = np.arange(1, full.num_sequences) - np.repeat(full.start[:-1], sizes)
        columns = np.append(0, np.repeat(abstract.start[images], sizes) + place)
        rows = np.arange(full.num_sequences)
        shape = full.num_sequences, abstract.num_sequences
        return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)


def _parse(rules: CommunityCardPoker, text: str) -> tuple[str, ...] | None:
    """Read ``JQ.K`` into the group of each rank."""
    if text == "full":
        return None
    group = {rank: part for part in text.split(".") for rank in part}
    if sorted(group) != sorted(rules.ranks) or sum(map(len, text.split("."))) != len(rules.ranks):
        raise ParameterError(
            f"{text!r} does not group the ranks {', '.join(rules.ranks)}",
            where=rules.name,
            fix='name every rank once, groups separated by dots ("JQ.K"), or say "full"',
        )
    return tuple(group[rank] for rank in rules.ranks)
