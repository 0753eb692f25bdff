"""Who folds the winning hand? A check on what an equilibrium does off its own path.

In Leduc hold'em a card that pairs the public one cannot lose or tie, so folding it is a mistake at every information
set. A Nash equilibrium may still fold it: off its own path any behaviour is consistent with equilibrium. Undominated
and quasi-perfect equilibria never fold it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from equiform.games.formats.openspiel import InfoState
from equiform.models.common.errors import UnsupportedGameError
from equiform.models.strategy import Strategy

FOLD = "fold"


@dataclass(frozen=True)
class PairFolds:
    """How many information sets fold a pair with more than a given probability, and how many could."""

    folding: int
    total: int
    worst: float
    """The largest probability of folding a pair."""
    where: str
    """The information set with that probability."""

    def __add__(self, other: PairFolds) -> PairFolds:
        worst = self if self.worst >= other.worst else other
        return PairFolds(self.folding + other.folding, self.total + other.total, worst.worst, worst.where)


def _is_pair(key: object, player: str) -> bool:
    """Compare the private and the public card at an information set of our Leduc or OpenSpiel's (six cards)."""
    if isinstance(key, InfoState) and "[Private: " in key.text:
        cards = dict(re.findall(r"\[(Private|Public): (\d+)\]", key.text))
        return "Public" in cards and int(cards["Private"]) // 2 == int(cards["Public"]) // 2
    if isinstance(key, tuple) and len(key) == 3:
        return bool(key[0] == key[1])
    raise UnsupportedGameError(
        f"{key!r} is not a card, a public card and a betting history",
        where=player,
        fix="use a strategy of Leduc hold'em",
    )


def pair_folds(*strategies: Strategy, above: float = 0.01) -> PairFolds:
    """Count the information sets of Leduc strategies at which a pair is folded with probability over ``above``."""
    found = PairFolds(0, 0, -1.0, "")
    for strategy in strategies:
        treeplex, probabilities = strategy.treeplex, strategy.floats
        for h, (key, actions) in enumerate(zip(treeplex.infosets, treeplex.actions, strict=True)):
            fold = next((k for k, action in enumerate(actions) if action.lower() == FOLD), None)
            if _is_pair(key, treeplex.player) and fold is not None:
                p = float(probabilities[int(treeplex.start[h]) + fold])
                found += PairFolds(int(p > above), 1, p, f"{treeplex.player}, {treeplex.infoset_label(h)}")
    return found
