"""What an abstract game of hold'em would cost: sequences, memory and arithmetic, before anything is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.common.arguments import require_counts
from equiform.models.common.errors import ParameterError
from equiform.models.public.betting import SHOWDOWN


@dataclass(frozen=True)
class HoldemPlan:
    """The size of an abstract game.

    Attributes
    ----------
    buckets
        Per round.
    nodes
        Of the betting tree.
    sequences
        Of either player.
    matrix_bytes
        The card matrices in double precision: counts of pairs and wins minus losses, of the last round.
    solver_bytes
        CFR on the operator: behaviour, plan, regret, total and a gradient per player, and the two treeplexes.
    sampling_bytes
        Monte Carlo CFR: regrets and totals in single precision, and no matrices.
    operations
        Multiplications of one iteration on the operator (both players' gradients), in units of 10⁹.
    """

    buckets: tuple[int, ...]
    nodes: int
    sequences: tuple[int, int]
    matrix_bytes: int
    solver_bytes: int
    sampling_bytes: int
    operations: float

    @property
    def operator_bytes(self) -> int:
        """What CFR on the operator needs in all."""
        return self.matrix_bytes + self.solver_bytes

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {**vars(self), "operator_bytes": self.operator_bytes}


def plan_holdem(buckets: Sequence[int], betting: HoldemBetting) -> HoldemPlan:
    """Return the size of a game with so many buckets on each round, which remember.

    >>> plan_holdem((15, 225, 900), HoldemBetting(rounds=3)).sequences
    (757741, 757726)
    """
    sizes = require_counts(buckets, "buckets", "hold'em")
    if len(sizes) != betting.rounds:
        raise ParameterError(
            f"{len(sizes)} numbers of buckets for {betting.rounds} rounds", where="hold'em", fix="pass one per round"
        )
    tree = betting.tree()
    widths = [seat.width.tolist() for seat in tree.seats]
    first, second = (1 + sum(n * w for n, w in zip(sizes, width, strict=True)) for width in widths)
    infosets = sum(n * len(d) for seat in tree.seats for n, d in zip(sizes, seat.decisions, strict=True))
    operations = 0
    for street, nodes in enumerate(tree.terminals):
        shown = tree.winner[nodes] == SHOWDOWN
        for kind in (nodes[shown], nodes[~shown]):
            columns = (len(np.unique(seat.last_column[kind])) for seat in tree.seats)
            operations += sum(columns) * sizes[street] ** 2
    return HoldemPlan(
        sizes,
        len(tree),
        (first, second),
        2 * 8 * sizes[-1] ** 2,
        (first + second) * 8 * 5 + infosets * 2 * 4 * 2,
        (first + second) * 4 * 2,
        operations / 1e9,
    )
