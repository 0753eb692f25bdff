"""The river played anew: its equilibrium for all hands, given the ranges that the strategy's own play implies.

When the last card is dealt, both players' ranges follow from the moves so far if both play the agent's strategy
(Ganzfried and Sandholm 2015; *unsafe* endgame solving, whose answer holds against that opponent). The pot is the real
one. Every hand keeps a small weight, so that nobody is ever in an endgame that cannot be. A bet that the solved tree
does not hold is put into it and the river is solved again.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from equiform.games.poker.holdem.bet_sizes import BetSizes
from equiform.games.poker.holdem.ranges import Range, all_hands
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.arguments import require_count, require_number
from equiform.models.common.array_types import FloatArray
from equiform.models.public.strategy import PublicStrategy
from equiform.play.dealer.betting import CALL, FOLD, RAISE, Action, BettingState
from equiform.play.dealer.hand import View
from equiform.play.holdem.simple import own_draw
from equiform.solvers_iterative.public.public_cfr import PublicCFR

if TYPE_CHECKING:
    from equiform.play.holdem.agent import HoldemAgent

#: Solved rivers that are kept: a hand asks for its own several times.
_KEPT = 8


@dataclass(frozen=True)
class RiverSolver:
    """Solves rivers.

    Parameters
    ----------
    iterations
        Of discounted CFR.
    least
        The weight that every hand keeps in a range, as a share of the likeliest.
    bets, raises
        Sizes in the no-limit game; the limit game has its own.
    """

    iterations: int = 100
    least: float = 1e-3
    bets: str = "50%,100%,a"
    raises: str = "100%,a"
    _solved: OrderedDict[tuple[Any, ...], tuple[PublicStrategy, PublicStrategy]] = field(
        default_factory=OrderedDict, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        require_count(self.iterations, "iterations", "endgames")
        require_number(self.least, "least", "endgames", least=0, most=1)
        BetSizes(self.bets, self.raises)

    def to_dict(self) -> dict[str, Any]:
        """Return what a folder says about it."""
        return {"iterations": self.iterations, "least": self.least, "bets": self.bets, "raises": self.raises}

    def act(self, agent: HoldemAgent, view: View) -> Action | None:
        """Return a move on the river; ``None`` elsewhere."""
        if view.betting.street != 3:
            return None
        begin = _river(view.betting)
        chips = [_put_in(s, a, begin) for s, a in _moves(begin, view.betting)]
        spot, strategies = self._solve(agent, view, begin, chips)
        node = _walk(spot, chips)
        strategy = strategies[view.seat]
        at, hands = strategy.hands(view.board)
        held = int(np.flatnonzero((all_hands() == sorted(view.hole)).all(axis=1))[0])
        odds = strategy.behavior(at, node)[hands[held]]
        from equiform.play.holdem.agent import drawn

        label = spot.betting.tree.actions(node)[drawn(odds, own_draw(agent.seed, view))]
        return _real(label, view.betting, begin)

    def _solve(
        self, agent: HoldemAgent, view: View, begin: BettingState, chips: list[float | None]
    ) -> tuple[Spot, tuple[PublicStrategy, PublicStrategy]]:
        spot = self._spot(agent, view, begin)
        betting = spot.betting
        for k, to in enumerate(chips):
            history = betting.tree.history(_walk(spot, chips[:k]))
            if to is not None and not _has(spot, chips[:k], to):
                betting = betting.with_bet(history, to)
                spot = Spot(spot.board, spot.oop, spot.ip, betting)
        key = (begin.line, view.board, betting, spot.oop.weights.tobytes(), spot.ip.weights.tobytes())
        found = self._solved.get(key)
        if found is None:
            solver = PublicCFR(spot.game(), "dcfr")
            solver.step(self.iterations)
            found = self._solved[key] = solver.strategies
            if len(self._solved) > _KEPT:
                self._solved.popitem(last=False)
        return spot, found

    def _spot(self, agent: HoldemAgent, view: View, begin: BettingState) -> Spot:
        """Return the river as it begins: seat 0 is out of position."""
        ranges = [self._range(agent, view, begin, seat) for seat in (0, 1)]
        rules, pot = begin.rules, float(begin.pot)
        if rules.limit:
            size = rules.bets[3]
            sizes = BetSizes(f"{size}c", f"{size}c", cap=rules.raises[3])
            stack = float(size * rules.raises[3])
        else:
            sizes, stack = BetSizes(self.bets, self.raises), float(rules.stack - begin.spent[0])
        return Spot.of(view.board, pot=pot, stack=stack, oop=ranges[0], ip=ranges[1], sizes=sizes)

    def _range(self, agent: HoldemAgent, view: View, begin: BettingState, seat: int) -> Range:
        possible = np.flatnonzero(~np.isin(all_hands(), view.board).any(axis=1))
        weights: FloatArray = np.zeros(len(all_hands()))
        played = agent.line_weights(seat, view._replace(betting=begin), all_hands()[possible])
        weights[possible] = np.maximum(played / played.max() if played.max() > 0 else 1.0, self.least)
        return Range(weights)


def _river(betting: BettingState) -> BettingState:
    """Return the state in which the river began."""
    state = BettingState.start(betting.rules)
    for action in betting.moves:
        if state.street == 3:
            break
        state = state.after(action)
    return state


def _moves(begin: BettingState, now: BettingState) -> list[tuple[BettingState, Action]]:
    found, state = [], begin
    for action in now.moves[len(begin.moves) :]:
        found.append((state, action))
        state = state.after(action)
    return found


def _put_in(state: BettingState, action: Action, begin: BettingState) -> float | None:
    """Return the chips that a raise brings the player's bets on the river up to; ``None`` for a call or check."""
    if action.kind != "r":
        return None
    return float(max(state.after(action).spent) - begin.spent[0])


def _amount(label: str) -> float | None:
    words = label.split()
    return float(words[-1]) if len(words) > 1 else None


def _has(spot: Spot, chips: list[float | None], to: float) -> bool:
    tree = spot.betting.tree
    return to in [_amount(label) for label in tree.actions(_walk(spot, chips))]


def _walk(spot: Spot, chips: list[float | None]) -> int:
    """Return the node of the spot's tree that moves lead to."""
    tree, node = spot.betting.tree, 0
    for to in chips:
        labels = tree.actions(node)
        wanted = [k for k, label in enumerate(labels) if label != "fold" and _amount(label) == to]
        node = tree.children[node][wanted[0]]
    return node


def _real(label: str, betting: BettingState, begin: BettingState) -> Action:
    if label == "fold":
        return FOLD
    amount = _amount(label)
    if amount is None:
        return CALL
    action = RAISE if betting.rules.limit else Action("r", begin.spent[0] + round(amount))
    if betting.is_legal(action):
        return action
    allowed = betting.raise_range()
    return CALL if allowed is None else Action("r", min(max(action.to, allowed[0]), allowed[1]))
