r"""What a profile of a bucketed game is worth: full best responses by a walk through the betting tree.

Node by node the opponent's probability of arriving is kept for every history of buckets. At a terminal node it is
multiplied by the counts of pairs of histories (a fold) or by the leaf's matrix, then the values are carried up: the
player's own decisions take the maximum for every history, or what the player's strategy says; a deal adds up the
children of every history. Plans, treeplexes and the Kronecker operator of the solvers are not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equiform.models.bucketed.game import BucketedGame
from equiform.models.bucketed.leaves import leaf_nodes
from equiform.models.bucketed.strategy import BucketStrategy
from equiform.models.common.array_types import FloatArray, Int32Array
from equiform.models.common.errors import CertificateError, StrategyError
from equiform.models.public.betting import SHOWDOWN
from equiform.models.rules import CHANCE, TERMINAL
from equiform.validation.certificates.bracket import Bracket

#: How far a row of probabilities may be from a distribution.
FLOW = 1e-6


@dataclass(frozen=True)
class BucketCertificate(Bracket):
    """The proof of an abstract game's solution, in the units of its stakes, from player 1's side."""

    value: float
    """What the profile gives player 1."""
    lower: float
    """What player 1's strategy guarantees."""
    upper: float
    """What player 2's strategy concedes at most."""
    residual: float
    """How far the worst row of probabilities is from a distribution."""
    witness: str = "best responses node by node, bucket by bucket"

    def require(self, nash_conv: float) -> BucketCertificate:
        """Return the certificate itself, or raise if the players could gain more than this together."""
        if not self.nash_conv <= nash_conv or not self.residual <= FLOW:
            raise CertificateError(
                f"the players could gain {self.nash_conv:.3g} together, and rows are {self.residual:.1g} off one",
                where=f"{nash_conv:.3g} is allowed",
                fix="iterate longer",
            )
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "value": self.value,
            "bracket": [self.lower, self.upper],
            "nash_conv": self.nash_conv,
            "exploitability": self.exploitability,
            "residual": self.residual,
            "witness": self.witness,
        }


def certify_buckets(game: BucketedGame, profile: tuple[BucketStrategy, BucketStrategy]) -> BucketCertificate:
    """Evaluate a profile of a bucketed game with perfect recall.

    Raises
    ------
    StrategyError
        If a strategy does not fit the game's betting or buckets, or if players forget: best responses are then hard.
    """
    if not game.deals.perfect_recall:
        raise StrategyError(
            "best responses of players who forget are not computed", where=game.name, fix="certify game.refined()"
        )
    judge = _Judge(game, profile)
    (first, best_first), (second, best_second) = judge.values(0), judge.values(1)
    if abs(first + second) > 1e-6 * max(1.0, abs(first)):
        raise CertificateError(f"the two sides of the walk differ by {first + second:.2g}", where=game.name)
    return BucketCertificate(first, -best_second, best_first, judge.residual)


class _Judge:
    """Walks the betting tree once per player."""

    def __init__(self, game: BucketedGame, profile: tuple[BucketStrategy, BucketStrategy]) -> None:
        self.game, self.tree, self.deals = game, game.betting, game.deals
        self.residual = 0.0
        self.odds: dict[int, FloatArray] = {}
        self.leaf = {int(node): k for k, node in enumerate(leaf_nodes(game.betting))}
        self.joint = [game.deals.joint(s) for s in range(game.deals.rounds)]
        for node in range(len(self.tree)):
            who = int(self.tree.turn[node])
            if who in (CHANCE, TERMINAL):
                continue
            odds = np.asarray(profile[who].at(node), dtype=np.float64)
            wanted = (self.deals.sizes(who)[int(self.tree.street[node])], len(self.tree.children[node]))
            if odds.shape != wanted:
                raise StrategyError(f"a decision has probabilities {odds.shape}, not {wanted}", where=game.name)
            off = max(float(np.abs(odds.sum(axis=1) - 1.0).max()), -float(odds.min()))
            self.residual = max(self.residual, off) if np.isfinite(odds).all() else np.inf
            self.odds[node] = odds

    def values(self, player: int) -> tuple[float, float]:
        """Return a player's expected payoff and the value of a best response."""
        other, tree = 1 - player, self.tree
        reach: dict[int, FloatArray] = {0: np.ones(self.deals.sizes(other)[0])}
        for node in range(len(tree)):
            for k, child in enumerate(tree.children[node]):
                if tree.turn[node] == CHANCE:
                    reach[child] = reach[node][self.deals.up[other][int(tree.street[node])]]
                elif tree.turn[node] == other:
                    reach[child] = reach[node] * self.odds[node][:, k]
                else:
                    reach[child] = reach[node]
        own, best = self._ends(player, reach), self._ends(player, reach)
        for node in reversed(range(len(tree))):
            below = tree.children[node]
            if tree.turn[node] == TERMINAL:
                continue
            if tree.turn[node] == CHANCE:
                up = self.deals.up[player][int(tree.street[node])]
                own[node], best[node] = (_added(up, v[below[0]]) for v in (own, best))
            elif tree.turn[node] == player:
                own[node] = sum(self.odds[node][:, k] * own[c] for k, c in enumerate(below))  # type: ignore[assignment]
                best[node] = np.maximum.reduce([best[c] for c in below])
            else:
                own[node], best[node] = (np.add.reduce([v[c] for c in below]) for v in (own, best))
        return float(own[0].sum() / self.deals.total), float(best[0].sum() / self.deals.total)

    def _ends(self, player: int, reach: dict[int, FloatArray]) -> dict[int, FloatArray]:
        """Evaluate all terminal nodes: per round one matrix times all arrivals, and the same per leaf matrix."""
        found: dict[int, FloatArray] = {}
        sign = 1.0 if player == 0 else -1.0
        for street, nodes in enumerate(self.tree.terminals):
            folds = [n for n in nodes.tolist() if self.tree.winner[n] != SHOWDOWN]
            if folds:
                met = self._times(self.joint[street], player, np.stack([reach[n] for n in folds], axis=1))
                for k, node in enumerate(folds):
                    won = 1.0 if self.tree.winner[node] == player else -1.0
                    found[node] = won * float(self.tree.stake[node]) * met[:, k]
            shown = [n for n in nodes.tolist() if self.tree.winner[n] == SHOWDOWN]
            for node in shown:
                found[node] = np.zeros(self.deals.sizes(player)[street])
            for m, matrix in enumerate(self.game.leaves.matrices):
                paid = [n for n in shown if self.game.leaves.weights[self.leaf[n], m]]
                if paid:
                    met = self._times(matrix, player, np.stack([reach[n] for n in paid], axis=1))
                    for k, node in enumerate(paid):
                        found[node] = found[node] + sign * self.game.leaves.weights[self.leaf[node], m] * met[:, k]
        return found

    @staticmethod
    def _times(matrix: FloatArray, player: int, reaches: FloatArray) -> FloatArray:
        found: FloatArray = (matrix if player == 0 else matrix.T) @ reaches
        return found


def _added(up: Int32Array, values: FloatArray) -> FloatArray:
    """Add up what the children of every history get."""
    return np.bincount(up, weights=values).astype(np.float64)
