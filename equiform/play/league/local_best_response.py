r"""How much could be won from an agent at least: local best response (Lisý and Bowling 2017).

The responder knows the agent's strategy, and so the distribution of its hand. At every decision it compares what each
move would win if nobody raised any more afterwards: with a pot of P chips, A of them to call, the share s of the
agent's hands that it beats when all cards are dealt (ties count half), and a raise by R that makes the agent fold with
probability f and leaves hands of which it beats s',

.. math::
   u(\text{fold}) = 0, \quad u(\text{call}) = sP - (1-s)A, \quad
   u(\text{raise}) = fP + (1-f)\bigl(s'(P+R) - (1-s')(A+R)\bigr).

It plays the best of them. Whatever it wins in real hands, a best response wins at least as much in expectation: its
mean is a lower bound of the agent's exploitability, with an interval. From the flop on shares are exact; before it
boards are sampled, which makes the responder worse and the bound no less true.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from equiform.games.cards.evaluator import N_CARDS, N_HANDS, fill_board
from equiform.games.cards.rank_tables import RankTables, rank_tables
from equiform.games.poker.holdem.ranges import all_hands
from equiform.models.common.arguments import require_count
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.jit import jit
from equiform.play.dealer.betting import CALL, FOLD, Action
from equiform.play.dealer.hand import Cards, View
from equiform.play.dealer.rules import STREETS
from equiform.play.holdem.agent import HoldemAgent

#: Boards that are sampled before the flop.
SAMPLED = 200


@dataclass(frozen=True, eq=False)
class LocalBestResponse:
    """The responder, as a player."""

    agent: HoldemAgent = field(repr=False)
    """Whom it plays against: without endgames, and with the same seed as in the match."""
    from_street: int = 0
    """It calls before this street; against some agents it then wins more."""
    name: str = "local-best-response"

    def __post_init__(self) -> None:
        require_count(self.from_street, "from_street", "local best response", least=0, most=len(STREETS) - 1)

    def act(self, view: View) -> Action:
        """Return the move with the largest local value."""
        betting = view.betting
        if betting.street < self.from_street:
            return CALL
        hands = all_hands()
        free = np.flatnonzero(~np.isin(hands, (*view.hole, *view.board)).any(axis=1))
        theirs = View(view.hand, 1 - view.seat, betting, (), view.board)
        weights = self.agent.line_weights(1 - view.seat, theirs, hands[free])
        if weights.sum() <= 0:
            weights = np.ones(len(free))  # by its strategy the agent could not be here
        wins, runs = (part[free] for part in outcomes(view.hole, view.board, view.hand))
        pot, owed = float(betting.pot), float(betting.to_call)
        share = _share(weights, wins, runs)
        best, value = CALL, share * pot - (1 - share) * owed
        if owed and value < 0:
            best, value = FOLD, 0.0
        for action in self._raises(theirs):
            after = theirs._replace(betting=betting.after(action))
            node = self.agent.place(after)
            if node is None:
                continue
            moves = [a.kind for a in self.agent.played.betting.actions(node)]
            odds = self.agent.hand_odds(node, hands[free], view.board)
            folds = odds[:, moves.index("f")] if "f" in moves else np.zeros(len(free))
            kept = weights * (1 - folds)
            fold = 1 - kept.sum() / weights.sum()
            size = float(max(after.betting.spent) - max(betting.spent))
            after_raise = _share(kept, wins, runs) if kept.sum() > 0 else 0.0
            called = after_raise * (pot + size) - (1 - after_raise) * (owed + size)
            worth = fold * pot + (1 - fold) * called
            if worth > value:
                best, value = action, worth
        return best

    def _raises(self, theirs: View) -> list[Action]:
        """Return the raises that the agent's abstraction knows here."""
        menu = self.agent.blueprint.betting.menu
        return [a for a in menu.moves(theirs.betting) if a.kind == "r"]


def _share(weights: FloatArray, wins: FloatArray, runs: FloatArray) -> float:
    total = float((weights * runs).sum())
    return float((weights * wins).sum()) / total if total > 0 else 0.5


def outcomes(hole: Cards, board: Cards, hand: int) -> tuple[FloatArray, FloatArray]:
    """Return for each of the 1,326 hands on how many boards ours beats it (ties count half), and how many leave it.

    All boards are dealt out, before the flop a sample that depends on the number of the hand.
    """
    left = [c for c in range(N_CARDS) if c not in (*hole, *board)]
    need = 5 - len(board)
    if need == 5:
        rng = np.random.default_rng((hand, *hole))
        runouts = rng.random((SAMPLED, len(left))).argpartition(5, axis=1)[:, :5]
        dealt = np.array(left)[runouts]
    else:
        every = list(combinations(left, need))
        dealt = np.array(every, dtype=np.int64).reshape(len(every), need)
    boards = np.hstack([np.tile(np.array(board, dtype=np.int64), (len(dealt), 1)), dealt])
    wins, runs = np.zeros(N_HANDS), np.zeros(N_HANDS)
    _fill_outcomes(np.array(sorted(hole), dtype=np.int64), np.ascontiguousarray(boards), rank_tables(), wins, runs)
    return wins, runs


@jit
def _fill_outcomes(hole: IntArray, boards: IntArray, tables: RankTables, wins: FloatArray, runs: FloatArray) -> None:
    strengths = np.empty(N_HANDS, np.int16)
    rest = np.empty(N_CARDS, np.int64)
    place = np.zeros(N_CARDS, np.int64)
    for row in range(len(boards)):
        fill_board(boards[row], tables, strengths, rest)
        n = N_CARDS - 5
        for k in range(n):
            place[rest[k]] = k
        low, high = place[hole[0]], place[hole[1]]
        own = strengths[high * (high - 1) // 2 + low]
        at = 0
        for b in range(1, n):
            for a in range(b):
                if a not in (low, high) and b not in (low, high):
                    other = rest[b] * (rest[b] - 1) // 2 + rest[a]
                    runs[other] += 1.0
                    if strengths[at] < own:
                        wins[other] += 1.0
                    elif strengths[at] == own:
                        wins[other] += 0.5
                at += 1
