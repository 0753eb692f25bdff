r"""What the players are dealt: private signals on a common scale, cut into cells.

All signal structures of Ganzfried (2015, chapter 11) become one thing. The scale is cut into *cells*
:math:`1, \dots, m`; a point of the scale is a *position* :math:`\tau \in [0, m]`, cell :math:`c` being
:math:`[c-1, c]`, and every CDF is linear in τ inside a cell.

* **finite** signals: a cell is one signal. Two players in the same cell tie; a threshold inside a cell splits the
  signal's probability, which is how mixed strategies arise (§11.6.2);
* **continuous** signals: the cells are the pieces of the piecewise-linear CDFs (all their breakpoints together). The
  order of two players inside a cell is decided by their exact positions (§11.7.1);
* **dependent** signals of two players: a matrix with one joint probability per pair of cells; for continuous signals
  the density is constant on each rectangle (§11.7.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ChanceError, ParameterError
from equiform.models.signals.cdf import PiecewiseLinearCdf, probabilities


@dataclass(frozen=True, eq=False)
class Signals:
    """Cells of a common scale, each player's probability of each cell, and for dependent signals the joint matrix."""

    edges: FloatArray = field(repr=False)
    masses: FloatArray = field(repr=False)  # player × cell
    is_finite: bool
    joint: FloatArray | None = field(default=None, repr=False)  # cell of player 1 × cell of player 2

    # -- making them ----------------------------------------------------------------------------------------------

    @staticmethod
    def finite(*distributions: ArrayLike) -> Signals:
        """Deal each player one of the signals 1, …, m independently.

        >>> Signals.finite([0.5, 0.5], [0.25, 0.75]).cumulative.tolist()
        [[0.0, 0.5, 1.0], [0.0, 0.25, 1.0]]
        """
        rows = [probabilities(d) for d in distributions]
        if len({len(r) for r in rows}) != 1:
            raise ChanceError(
                "the players have different numbers of signals",
                where=f"{[len(r) for r in rows]}",
                fix="use one common list of signals; a signal may have probability 0",
            )
        return Signals(np.arange(len(rows[0]) + 1.0), np.array(rows), is_finite=True)

    @staticmethod
    def continuous(*cdfs: PiecewiseLinearCdf) -> Signals:
        """Deal independently from piecewise-linear CDFs; their breakpoints together make the cells."""
        if not cdfs:
            raise ParameterError("no CDF was given", fix="pass one CDF per player")
        edges = np.unique(np.concatenate([c.points for c in cdfs]))
        return Signals(edges, np.array([np.diff(c.at(edges)) for c in cdfs]), is_finite=False)

    @staticmethod
    def dependent(joint: ArrayLike, *, edges: ArrayLike | None = None) -> Signals:
        """Deal two players from a joint distribution.

        Without ``edges`` the signals are 1, …, m and ``joint[i, j]`` is the probability of the pair; with them it is
        the probability of a rectangle on which the density is constant.
        """
        table = np.array(joint, dtype=np.float64)
        if table.ndim != 2 or table.shape[0] != table.shape[1]:
            raise ChanceError(
                f"a joint distribution of shape {table.shape} is not a square table",
                fix="use the same cells for both players; refine the coarser one",
            )
        table = probabilities(table)
        scale = np.arange(len(table) + 1.0) if edges is None else np.asarray(edges, dtype=np.float64)
        if len(scale) != len(table) + 1 or (np.diff(scale) <= 0).any():
            raise ChanceError("the edges do not fit the table", fix="pass one more edge than cells, increasing")
        masses = np.array([table.sum(axis=1), table.sum(axis=0)])
        if (masses <= 0).any():
            player, cell = (int(k[0]) for k in np.nonzero(masses <= 0))
            raise ChanceError(
                f"signal {cell + 1} of player {player + 1} has probability zero",
                where="dependent signals",
                fix="what a player believes there is undefined: leave the signal out",
            )
        return Signals(scale, masses, is_finite=edges is None, joint=table)

    def __post_init__(self) -> None:
        for array in (self.edges, self.masses, self.joint):
            if array is not None:
                array.setflags(write=False)

    # -- asking them ----------------------------------------------------------------------------------------------

    @property
    def num_players(self) -> int:
        """Count the players."""
        return len(self.masses)

    @property
    def num_cells(self) -> int:
        """Count the cells."""
        return len(self.edges) - 1

    @property
    def is_dependent(self) -> bool:
        """Whether a player's signal says something about the other's."""
        return self.joint is not None

    @cached_property
    def cumulative(self) -> FloatArray:
        """``cumulative[player, c]``: the probability of the first c cells."""
        sums = np.concatenate([np.zeros((self.num_players, 1)), np.cumsum(self.masses, axis=1)], axis=1)
        sums[:, -1] = 1.0
        return sums

    def beliefs(self, player: int, opponent: int) -> FloatArray:
        """Return ``beliefs[c, d]``: the probability that the opponent is in cell d, given the player's own cell c."""
        if self.joint is None:
            return np.broadcast_to(self.masses[opponent], (self.num_cells, self.num_cells))
        table = self.joint if player == 0 else self.joint.T
        return table / table.sum(axis=1, keepdims=True)

    def cdf_at(self, player: int, positions: ArrayLike) -> FloatArray:
        """Return a player's CDF at positions."""
        return np.interp(
            np.asarray(positions, dtype=np.float64), np.arange(self.num_cells + 1), self.cumulative[player]
        )

    def values(self, positions: ArrayLike) -> FloatArray:
        """Turn positions into signals on the original scale."""
        return np.interp(np.asarray(positions, dtype=np.float64), np.arange(self.num_cells + 1), self.edges)

    def positions(self, values: ArrayLike) -> FloatArray:
        """Turn signals on the original scale into positions."""
        return np.interp(np.asarray(values, dtype=np.float64), self.edges, np.arange(self.num_cells + 1))

    # -- changing them --------------------------------------------------------------------------------------------

    def refined(self, positions: ArrayLike) -> tuple[Signals, FloatArray]:
        """Cut continuous cells at more positions; also return the old position of each new edge."""
        if self.is_finite:
            raise ParameterError("a finite signal cannot be cut", fix="use `smeared` for a continuous version")
        inner = np.clip(np.asarray(positions, dtype=np.float64), 0, self.num_cells)
        cuts = np.unique(np.concatenate([np.arange(self.num_cells + 1.0), inner]))
        owner = np.minimum(np.floor(cuts[:-1]).astype(np.int64), self.num_cells - 1)
        share = np.diff(cuts)
        joint = None if self.joint is None else self.joint[np.ix_(owner, owner)] * np.outer(share, share)
        return Signals(self.values(cuts), self.masses[:, owner] * share, False, joint), cuts

    def smeared(self) -> Signals:
        """Spread every finite signal evenly over its cell, so that ties never happen."""
        return Signals(self.edges, self.masses, False, self.joint)

    def rounded(self, cells: int) -> Signals:
        """Cut a continuous scale into equally long finite signals, with the probability of each."""
        if self.is_finite or self.is_dependent:
            raise ParameterError("only independent continuous signals can be rounded")
        where = np.interp(np.linspace(self.edges[0], self.edges[-1], cells + 1), self.edges, np.arange(len(self.edges)))
        return Signals.finite(*(np.diff(self.cdf_at(p, where)) for p in range(self.num_players)))


def uniform_signals(players: int = 2) -> Signals:
    """Deal every player a number from [0, 1] evenly and independently."""
    return Signals.continuous(*[PiecewiseLinearCdf.uniform()] * players)


def deck_without_replacement(cards: int) -> Signals:
    """Deal two players different cards 1, …, n of one deck.

    >>> deck_without_replacement(3).beliefs(0, 1)[1].tolist()
    [0.5, 0.0, 0.5]
    """
    if cards < 2:
        raise ParameterError("a deck for two players needs two cards", where=f"cards={cards}", fix="use 2 or more")
    table = np.full((cards, cards), 1.0 / (cards * (cards - 1)))
    np.fill_diagonal(table, 0.0)
    return Signals.dependent(table)


def bucketed(signals: Signals, sizes: Sequence[int]) -> Signals:
    """Merge neighbouring finite signals into buckets of the given sizes."""
    if not signals.is_finite or sum(sizes) != signals.num_cells or min(sizes, default=0) < 1:
        raise ParameterError(
            f"buckets of sizes {list(sizes)} do not cover {signals.num_cells} finite signals",
            fix="sizes are positive and sum to the number of signals",
        )
    starts = np.cumsum([0, *sizes[:-1]])
    if signals.joint is not None:
        return Signals.dependent(np.add.reduceat(np.add.reduceat(signals.joint, starts, axis=0), starts, axis=1))
    return Signals.finite(*np.add.reduceat(signals.masses, starts, axis=1))
