r"""The payoff of a bucketed game as a sum of Kronecker products.

A terminal node lies below one last move of either player, on round a of player 0 and b of player 1. All terminal nodes
with the same (a, b) share a card matrix, the counts of pairs (or a leaf matrix) added up to those rounds, so that

.. math:: A = \tfrac1N \sum_{a,b} \bigl( F_{ab} \otimes N_{ab} + \textstyle\sum_k S^k_{ab} \otimes M^k_{ab} \bigr)

with sparse betting parts F and S. For linear programs a term's product is split at the cheaper side, which leaves one
sum per (move, history) as an auxiliary variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from equiform.models.bucketed.deals import BucketDeals
from equiform.models.bucketed.leaves import LeafPayoffs, leaf_nodes
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.payoffs.factored import Factors
from equiform.models.payoffs.structured import KroneckerPayoff, KroneckerTerm
from equiform.models.public.betting import SHOWDOWN, BettingTree
from equiform.models.rules import TERMINAL

#: Returns the sequences of a player's columns (rows) with every history (columns) of a round.
Places = Callable[[int, int, IntArray], IntArray]


class _Ends(NamedTuple):
    """Terminal nodes, one entry each: the rounds and columns of both players' last moves, and what is paid."""

    rounds: IntArray  # [end, player]
    columns: IntArray
    pay: FloatArray


def kronecker_payoff(
    betting: BettingTree, deals: BucketDeals, leaves: LeafPayoffs, shape: tuple[int, int], places: Places
) -> KroneckerPayoff:
    """Return the operator of a bucketed game."""
    ended = np.flatnonzero(betting.turn == TERMINAL)
    folds = ended[betting.winner[ended] != SHOWDOWN]
    parts = [
        (_ends(betting, folds, np.where(betting.winner[folds] == 0, 1.0, -1.0) * betting.stake[folds]), deals.counts)
    ]
    shown = leaf_nodes(betting)
    parts += [(_ends(betting, shown, leaves.weights[:, k]), m) for k, m in enumerate(leaves.matrices)]
    terms = [t for ends, matrix in parts for t in _terms(ends, matrix, deals, places)]
    return KroneckerPayoff(shape, terms)


def _ends(betting: BettingTree, nodes: IntArray, pay: FloatArray) -> _Ends:
    kept = nodes[pay != 0]
    rounds = np.stack([seat.last_street[kept] for seat in betting.seats], axis=1)
    columns = np.stack([seat.last_column[kept] for seat in betting.seats], axis=1)
    return _Ends(rounds, np.maximum(columns, 0), pay[pay != 0])


def _terms(ends: _Ends, matrix: FloatArray, deals: BucketDeals, places: Places) -> list[KroneckerTerm]:
    found = []
    for a, b in np.unique(ends.rounds, axis=0).tolist():
        here = np.flatnonzero((ends.rounds == (a, b)).all(axis=1))
        own, i = np.unique(ends.columns[here, 0], return_inverse=True)
        other, j = np.unique(ends.columns[here, 1], return_inverse=True)
        pay = ends.pay[here] / deals.total
        left = sp.csr_array((pay, (i.ravel(), j.ravel())), shape=(len(own), len(other)))
        found.append(KroneckerTerm(left, deals.summed(matrix, (a, b)), places(0, a, own), places(1, b, other)))
    return found


def kronecker_factors(payoff: KroneckerPayoff, player: int) -> Factors:
    """Write a sum of Kronecker products as sparse factors for the plan of a player, for linear programs."""
    sign = 1.0 if player == 0 else -1.0
    gather, combine, count = [], [], 0
    for term in payoff.terms:
        left, right, own, other = term.left, np.asarray(term.right), term.rows, term.cols
        if player == 1:
            left, right, own, other = term.left_transpose, right.T, term.cols, term.rows
        # counts are large and payoffs per deal tiny: solvers would drop such entries, so a power of two changes sides
        largest = float(np.abs(right).max(initial=0.0))
        scale = 2.0 ** np.ceil(np.log2(largest)) if largest else 1.0
        left, right = left * scale, right / scale
        if left.shape[0] < left.shape[1]:  # sums over the player's hands: u[own move, other's history]
            size = left.shape[0] * right.shape[1]
            u = np.arange(size).reshape(left.shape[0], -1)
            gather.append(_kron(sp.identity(left.shape[0], format="coo"), sp.coo_array(right.T), u, own, count))
            combine.append(
                _kron(sp.coo_array(left.T), sp.identity(right.shape[1], format="coo"), other, u, count, sign)
            )
        else:  # sums over the player's moves: u[other's move, own history]
            size = left.shape[1] * right.shape[0]
            u = np.arange(size).reshape(left.shape[1], -1)
            gather.append(_kron(sp.coo_array(left.T), sp.identity(right.shape[0], format="coo"), u, own, count))
            combine.append(
                _kron(sp.identity(left.shape[1], format="coo"), sp.coo_array(right.T), other, u, count, sign)
            )
        count += size
    mine, theirs = payoff.shape[player], payoff.shape[1 - player]
    return Factors(
        sp.csr_array((theirs, mine)),
        sp.csr_array(_joined(combine, (theirs, count), by_row=False)),
        sp.csr_array(sp.identity(count, format="csr")),
        sp.csr_array(_joined(gather, (count, mine), by_row=True)),
    )


class _Entries(NamedTuple):
    rows: IntArray
    cols: IntArray
    data: FloatArray
    shift: int


def _kron(
    left: sp.coo_array, right: sp.coo_array, rows: IntArray, cols: IntArray, shift: int, sign: float = 1.0
) -> _Entries:
    """Return the entries of ``left ⊗ right`` at their places."""
    r = rows[left.row[:, None], right.row[None, :]].ravel()
    c = cols[left.col[:, None], right.col[None, :]].ravel()
    return _Entries(r, c, sign * np.outer(left.data, right.data).ravel(), shift)


def _joined(parts: list[_Entries], shape: tuple[int, int], *, by_row: bool) -> sp.coo_array:
    rows = np.concatenate([p.rows + (p.shift if by_row else 0) for p in parts] or [np.zeros(0, dtype=np.int64)])
    cols = np.concatenate([p.cols + (0 if by_row else p.shift) for p in parts] or [np.zeros(0, dtype=np.int64)])
    return sp.coo_array((np.concatenate([p.data for p in parts] or [np.zeros(0)]), (rows, cols)), shape=shape)
