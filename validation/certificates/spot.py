r"""What a profile of a hold'em spot is worth, from the rules: the certificate of the spot solver.

The betting tree is walked for every board that can come, all 52 cards, no symmetries. On each board the two ranges meet
in a dense matrix: 1 where two hands share no card, times 1, 0 or −1 for who holds the better hand. That costs O(n²) per
board and shares no code with the operator that solvers use, which sorts, sums and merges. A best response takes the
maximum at each of a player's decisions, hand by hand; where moves are locked it takes what is locked, so that the
bracket is that of the locked game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from equiform.games.cards.card import STANDARD
from equiform.games.cards.evaluator import strengths
from equiform.games.poker.holdem.ranges import all_hands
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.array_types import BoolArray, FloatArray, IntArray
from equiform.models.common.errors import CertificateError
from equiform.models.rules import CHANCE, TERMINAL
from equiform.validation.certificates.bracket import Bracket


class SpotProfile(Protocol):
    """What a certificate asks of a profile."""

    def probabilities(self, player: int, board: tuple[int, ...], node: int) -> FloatArray:
        """Return a row of probabilities for each of the 1,326 hands; rows of hands that cannot be held are not read."""

    def locked(self, player: int, board: tuple[int, ...], node: int) -> BoolArray | None:
        """Return which hands have no choice there, or nothing."""


@dataclass(frozen=True)
class SpotCertificate(Bracket):
    """The proof of a spot's answer, in chips. Values are shares of the pot that go to the first to act."""

    pot: float
    ev: float
    """What the profile gives player 1: its expected share of the pot."""
    lower: float
    """What player 1's strategy guarantees, at least."""
    upper: float
    """What player 2's strategy concedes, at most."""
    residual: float
    """How far the worst row of probabilities is from a distribution."""
    locked: bool
    """Whether moves were locked: the bracket is then that of the locked game."""
    witness: str = "dense matrices of all hands on every board"

    @property
    def percent(self) -> float:
        """The exploitability in percent of the pot."""
        return 100 * self.exploitability / self.pot

    def require(self, percent: float) -> SpotCertificate:
        """Return the certificate itself, or raise if the profile is further than this from equilibrium."""
        if not self.percent <= percent or not self.residual <= 1e-6:
            raise CertificateError(
                f"the profile can be exploited for {self.percent:.3g}% of the pot",
                where=f"pot {self.pot:g}, asked for {percent:g}%",
                fix="iterate longer, or in 64 bits",
            )
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "ev": self.ev,
            "bracket": [self.lower, self.upper],
            "nash_conv": self.nash_conv,
            "exploitability": self.exploitability,
            "exploitability_percent_of_pot": self.percent,
            "residual": self.residual,
            "locked": self.locked,
            "witness": self.witness,
        }


def certify_spot(spot: Spot, profile: SpotProfile) -> SpotCertificate:
    """Evaluate a profile of a spot from the rules."""
    judge = _Judge(spot, profile)
    half = spot.betting.pot / 2
    first, second = (judge.values(player) for player in (0, 1))
    return SpotCertificate(
        float(spot.betting.pot),
        first[0] + half,
        -second[1] + half,
        first[1] + half,
        judge.residual,
        judge.any_locked,
    )


class _Judge:
    """Walks the spot once per player."""

    def __init__(self, spot: Spot, profile: SpotProfile) -> None:
        self.spot, self.profile, self.tree = spot, profile, spot.betting.tree
        self.cards = all_hands()
        self.hands = [np.flatnonzero(r.weights) for r in spot.ranges]
        self.weights = [r.weights[h] for r, h in zip(spot.ranges, self.hands, strict=True)]
        ours, theirs = (self.cards[h] for h in self.hands)
        shared = (ours[:, None, :, None] == theirs[None, :, None, :]).any(axis=(2, 3))
        self.apart = (~shared).astype(np.float64)
        self.total = float(self.weights[0] @ self.apart @ self.weights[1])
        self.residual, self.any_locked = 0.0, False

    def values(self, player: int) -> tuple[float, float]:
        """Return a player's expected payoff and the value of a best response."""
        reach = self.weights[1 - player] / self.total
        own, best = self._street(player, tuple(self.spot.board), 0, reach)
        return float(self.weights[player] @ own), float(self.weights[player] @ best)

    def _street(
        self, player: int, board: tuple[int, ...], root: int, reach: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what each hand of a player gets below a node, by its strategy and by a best response."""
        tree, street = self.tree, int(self.tree.street[root])
        nodes, reaches, waiting = [], {root: reach}, [root]
        while waiting:
            node = waiting.pop()
            nodes.append(node)
            turn = int(tree.turn[node])
            if turn in (CHANCE, TERMINAL):
                continue
            odds = self._odds(turn, board, node) if turn != player else None
            for k, child in enumerate(tree.children[node]):
                reaches[child] = reaches[node] if odds is None else reaches[node] * odds[:, k]
                waiting.append(child)
        found = self._ends(player, board, [n for n in nodes if tree.turn[n] == TERMINAL], reaches)
        for node in reversed(nodes):
            turn = int(tree.turn[node])
            if turn == CHANCE:
                assert tree.street[tree.children[node][0]] == street + 1
                found[node] = self._deal(player, board, tree.children[node][0], reaches[node])
            elif turn == player:
                found[node] = self._decide(player, board, node, [found[c] for c in tree.children[node]])
            elif turn != TERMINAL:
                pairs = [found[c] for c in tree.children[node]]
                found[node] = sum(p[0] for p in pairs), sum(p[1] for p in pairs)  # type: ignore[assignment]
        return found[root]

    def _ends(
        self, player: int, board: tuple[int, ...], ends: list[int], reaches: dict[int, FloatArray]
    ) -> dict[int, tuple[FloatArray, FloatArray]]:
        """Evaluate the terminal nodes of a street on a board, all in two matrix products."""
        if not ends:
            return {}
        apart = self.apart if player == 0 else self.apart.T
        tree = self.tree
        folds = [n for n in ends if tree.winner[n] >= 0]
        shows = [n for n in ends if tree.winner[n] < 0]
        found = {}
        if folds:
            met = apart @ np.stack([reaches[n] for n in folds], axis=1)
            for k, node in enumerate(folds):
                sign = 1.0 if tree.winner[node] == player else -1.0
                found[node] = (sign * tree.stake[node] * met[:, k],) * 2
        if shows:
            ours, theirs = (self._ranks(board, p) for p in (player, 1 - player))
            better = np.sign(ours[:, None] - theirs[None, :]) * apart
            met = better @ np.stack([reaches[n] for n in shows], axis=1)
            for k, node in enumerate(shows):
                found[node] = (tree.stake[node] * met[:, k],) * 2
        return found

    def _ranks(self, board: tuple[int, ...], player: int) -> IntArray:
        """Rank a player's hands on a full board; those that the board blocks get any rank, as they have no weight."""
        cards = self.cards[self.hands[player]]
        free = ~np.isin(cards, board).any(axis=1)
        ranks = np.zeros(len(cards), dtype=np.int64)
        ranks[free] = strengths(np.hstack([cards[free], np.tile(board, (int(free.sum()), 1))]))
        return ranks

    def _deal(
        self, player: int, board: tuple[int, ...], below: int, reach: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Average over the next card: every card that neither the board nor the two hands hold is equally likely."""
        n = len(self.hands[player])
        own, best = np.zeros(n), np.zeros(n)
        left = len(STANDARD) - len(board) - 4
        for card in range(len(STANDARD)):
            if card in board:
                continue
            mine, theirs = (~(self.cards[self.hands[p]] == card).any(axis=1) for p in (player, 1 - player))
            if not (reach * theirs).any() or not mine.any():
                continue
            one, two = self._street(player, (*board, card), below, reach * theirs)
            own += one * mine / left
            best += two * mine / left
        return own, best

    def _decide(
        self, player: int, board: tuple[int, ...], node: int, below: list[tuple[FloatArray, FloatArray]]
    ) -> tuple[FloatArray, FloatArray]:
        odds = self._odds(player, board, node)
        own = sum(odds[:, k] * pair[0] for k, pair in enumerate(below))
        responses = np.stack([pair[1] for pair in below], axis=1)
        best = responses.max(axis=1)
        locked = self.profile.locked(player, board, node)
        if locked is not None:
            self.any_locked = True
            best = np.where(locked[self.hands[player]], (odds * responses).sum(axis=1), best)
        return np.asarray(own), best

    def _odds(self, player: int, board: tuple[int, ...], node: int) -> FloatArray:
        """Read a player's probabilities and check them; a hand that the board blocks plays anything."""
        odds = np.array(self.profile.probabilities(player, board, node)[self.hands[player]], dtype=np.float64)
        free = ~np.isin(self.cards[self.hands[player]], board).any(axis=1)
        off = max(float(np.abs(odds[free].sum(axis=1) - 1.0).max(initial=0)), -float(odds[free].min(initial=0)))
        self.residual = max(self.residual, off) if np.isfinite(odds[free]).all() else np.inf
        odds[~free] = 1.0 / odds.shape[1]
        return odds
