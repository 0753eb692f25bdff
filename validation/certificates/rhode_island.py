r"""What a profile of Rhode Island hold'em is worth, from the rules: every deal of the whole deck, no symmetries.

The betting is walked depth first by rules written out here, with a vector over (board, private card) at every node: one
board before the flop, 52 after it and all 52 · 51 ordered ones after the turn. Hands are compared pair by pair in a
dense matrix per board. Neither the boards up to suits, the betting tree, the sums of the payoff operator nor the
evaluation of hands is shared with what solves the game. A best response takes the maximum at each of a player's
decisions, card by card.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from equiform.games.poker.rhode_island import RhodeIsland
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import CertificateError
from equiform.validation.certificates.certificate import Certificate

WITNESS = "every deal of the whole deck"
_ROUNDS = 3


class CardProfile(Protocol):
    """What the certificate asks of a profile."""

    def probabilities(self, player: int, boards: IntArray, history: str) -> FloatArray:
        """Return ``[board, card, move]`` for boards (rows of public cards) after a history such as ``bet–call/check``.

        Moves are in the order fold, call, raise or check, bet; cards that lie on a board have any numbers.
        """


@dataclass(frozen=True)
class _Point:
    """A point in the betting."""

    round: int
    history: str
    paid: tuple[int, int]
    turn: int
    raises: int
    first: bool  # nobody has acted in this round

    def word(self, move: str) -> str:
        return self.history + move if self.first else f"{self.history}–{move}"


def certify_rhode_island(game: RhodeIsland, profile: CardProfile) -> Certificate:
    """Evaluate a profile of Rhode Island hold'em from the rules."""
    judge = _Judge(game, profile)
    cards = len(game.deck)
    payoffs, responses = [], []
    for player in (0, 1):
        start = _Point(0, "", (game.ante, game.ante), 0, 0, True)
        own, best = judge.bet(player, start, np.full((1, cards), 1.0 / (cards - 1)))
        payoffs.append(float(own.mean()))
        responses.append(float(best.mean()))
    if abs(payoffs[0] + payoffs[1]) > 1e-9 * judge.stake:
        raise CertificateError(
            f"the payoffs are {payoffs[0]!r} and {payoffs[1]!r}", where=game.spec, fix="report this profile"
        )
    return Certificate(
        game=game.spec,
        witness=WITNESS,
        payoffs=tuple(payoffs),
        best_responses=tuple(responses),
        regrets=tuple(b - p for b, p in zip(responses, payoffs, strict=True)),
        residuals=tuple(judge.residuals),
        zero_sum=True,
        spread=2.0 * judge.stake,
    )


class _Judge:
    """Walks the game once per player; values are per private card of that player, against the other's reach."""

    def __init__(self, game: RhodeIsland, profile: CardProfile) -> None:
        self.game, self.profile = game, profile
        cards = range(len(game.deck))
        self.boards = [np.array(list(itertools.permutations(cards, r)), dtype=np.int64) for r in range(_ROUNDS)]
        self.boards[0] = self.boards[0].reshape(1, 0)
        self.free = [~(b[:, :, None] == np.arange(len(cards))).any(axis=1) for b in self.boards]
        self.better = self._comparisons()
        self.stake = game.ante + game.raises * sum(game.sizes)
        self.residuals = [0.0, 0.0]

    def _comparisons(self) -> FloatArray:
        """Return ``[board, card, card]``: 1 where the first card wins on a full board, -1 where it loses."""
        cards, suits = len(self.game.deck), self.game.suits
        keys = {c: _hand(c, self.game.ranks, suits) for c in itertools.combinations(range(cards), 3)}
        place = {key: k for k, key in enumerate(sorted(set(keys.values())))}
        rank = np.zeros((cards, cards, cards), dtype=np.int64)
        for hand, key in keys.items():
            for order in itertools.permutations(hand):
                rank[order] = place[key]
        flop, turn = self.boards[2].T
        shown = rank[flop, turn]
        return np.sign(shown[:, :, None] - shown[:, None, :]).astype(np.float64)

    def bet(self, player: int, at: _Point, reach: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what each card of a player gets from a decision on: by the profile, and by a best response."""
        moves = self._moves(at)
        odds = self._odds(at, len(moves))
        found = []
        for k, move in enumerate(moves):
            there = reach if at.turn == player else reach * odds[:, :, k]
            found.append(self._after(player, at, move, there))
        if at.turn != player:
            return sum(f[0] for f in found), sum(f[1] for f in found)  # type: ignore[return-value]
        own: FloatArray = sum(odds[:, :, k] * f[0] for k, f in enumerate(found))  # type: ignore[assignment]
        best: FloatArray = np.maximum.reduce([f[1] for f in found])
        return own, best

    def _moves(self, at: _Point) -> list[str]:
        facing = at.paid[0] != at.paid[1]
        moves = ["fold", "call"] if facing else ["check"]
        if at.raises < self.game.raises:
            moves.append("raise" if at.raises else "bet")
        return moves

    def _odds(self, at: _Point, count: int) -> FloatArray:
        """Read the mover's probabilities and check them."""
        odds = np.array(self.profile.probabilities(at.turn, self.boards[at.round], at.history), dtype=np.float64)
        free = self.free[at.round]
        if odds.shape != (*free.shape, count):
            raise CertificateError(
                f"probabilities of shape {odds.shape} where {(*free.shape, count)} is due",
                where=f"{self.game.spec}, after {at.history or 'the deal'}",
            )
        rows = odds[free]
        off = max(float(np.abs(rows.sum(axis=1) - 1.0).max()), -float(rows.min()))
        self.residuals[at.turn] = max(self.residuals[at.turn], off) if np.isfinite(rows).all() else np.inf
        odds[~free] = 0.0
        return odds

    def _after(self, player: int, at: _Point, move: str, reach: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the values after a move."""
        mover, other = at.turn, 1 - at.turn
        if move == "fold":
            won = at.paid[mover] if mover != player else -at.paid[mover]
            met = (reach.sum(axis=1, keepdims=True) - reach) * self.free[at.round] * float(won)
            return met, met
        paid = list(at.paid)
        raises = at.raises
        if move in ("bet", "raise"):
            paid[mover] = paid[other] + self.game.sizes[at.round]
            raises += 1
        elif move == "call":
            paid[mover] = paid[other]
        spelt, level = at.word(move), (paid[0], paid[1])
        if move == "call" or (move == "check" and not at.first):
            return self._deal(player, at.round, spelt, level, reach)
        return self.bet(player, _Point(at.round, spelt, level, other, raises, False), reach)

    def _deal(
        self, player: int, round_: int, history: str, paid: tuple[int, int], reach: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Average over the next public card, any of those that are left; or compare the hands."""
        if round_ == _ROUNDS - 1:
            met = (self.better @ reach[:, :, None])[:, :, 0] * self.free[round_] * float(paid[0])
            return met, met
        below, left = round_ + 1, len(self.game.deck) - 2 - round_
        start = _Point(below, history + "/", paid, 0, 0, True)
        dealt = np.repeat(reach, len(self.boards[below]) // len(reach), axis=0) * self.free[below] / left
        own, best = (v * self.free[below] for v in self.bet(player, start, dealt))
        shape = (len(reach), -1, reach.shape[1])  # the boards below a board stand together
        return own.reshape(shape).sum(axis=1), best.reshape(shape).sum(axis=1)


def _hand(cards: tuple[int, ...], ranks: int, suits: int) -> tuple[int, ...]:
    """Return what ranks a hand of three cards: its category, then the ranks that decide among equals."""
    low, middle, high = sorted(c // suits for c in cards)
    flush = len({c % suits for c in cards}) == 1
    if low == high:
        return 4, high
    if low == middle or middle == high:
        return 1, middle, low if middle == high else high
    top = high if high - low == 2 else 1 if (low, middle, high) == (0, 1, ranks - 1) else -1
    if top >= 0:
        return (5 if flush else 3), top
    return (2 if flush else 0), high, middle, low
