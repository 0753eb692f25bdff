"""Agents from what ``equiform holdem`` solves: its strategy, and histories of buckets as the agent's buckets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from equiform.abstraction.holdem.blueprint import HoldemBlueprint, read_blueprint
from equiform.games.poker.holdem.tree import HoldemBetting, node_at
from equiform.models.common.array_types import Int32Array, IntArray
from equiform.models.common.errors import UnsupportedGameError
from equiform.play.dealer.rules import LIMIT, NO_LIMIT, STREETS, HoldemRules
from equiform.play.holdem.abstract_betting import AbstractBetting, BetMenu
from equiform.play.holdem.blueprint import Blueprint

#: Boards whose histories are kept.
_KEPT = 64


class SolvedBuckets:
    """The histories of buckets of a solved abstract game; a board's are looked up together."""

    def __init__(self, solved: HoldemBlueprint) -> None:
        self.solved = solved
        self._seen: dict[tuple[int, ...], Int32Array] = {}

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many histories each street has."""
        return self.solved.histories.sizes

    def look_up(self, deals: IntArray) -> IntArray:
        """Return the histories of deals on their last street."""
        rows = np.sort(deals[:, :2], axis=1)
        hands = rows[:, 1] * (rows[:, 1] - 1) // 2 + rows[:, 0]
        boards, which = np.unique(deals[:, 2:], axis=0, return_inverse=True)
        found = np.empty(len(deals), dtype=np.int64)
        for number, board in enumerate(map(tuple, boards.tolist())):
            chosen = which.ravel() == number
            found[chosen] = self._on(board)[hands[chosen]]
        return found

    def _on(self, board: tuple[int, ...]) -> Int32Array:
        found = self._seen.get(board)
        if found is None:
            if len(self._seen) >= _KEPT:
                self._seen.clear()
            found = self._seen[board] = self.solved.histories.on(board)
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return what a folder says about the buckets."""
        return {"method": "solved", "buckets": list(self.sizes)}


def from_solved(folder: str | Path) -> tuple[Blueprint, SolvedBuckets]:
    """Return the strategy and the buckets of a folder that ``equiform holdem --run`` wrote.

    Raises
    ------
    UnsupportedGameError
        If it does not play all four streets of one of the dealer's games.
    """
    solved = read_blueprint(folder)
    rules, menu = game_of(solved.betting)
    betting, buckets = AbstractBetting.build(rules, menu), SolvedBuckets(solved)
    table = np.empty(int(betting.tree.offsets(buckets.sizes)[-1]))
    made = Blueprint(betting, buckets.sizes, table, {"algorithm": "equiform holdem", **solved.proof})
    for node in np.flatnonzero(betting.tree.turn >= 0).tolist():
        there = node_at(solved.tree, betting.states[node].line)
        made.rows(node)[:] = solved.strategies[int(solved.tree.turn[there])].at(there)
    return made, buckets


def game_of(betting: HoldemBetting) -> tuple[HoldemRules, BetMenu]:
    """Return the dealer's game and menu that a solved game's betting is."""
    if betting.rounds == len(STREETS) and betting.bets:
        unit = LIMIT.blinds[1] / betting.blinds[0]
        scaled = [[unit * chips for chips in part] for part in (betting.blinds[::-1], betting.bets)]
        if scaled == [list(LIMIT.blinds), list(LIMIT.bets)] and betting.raises == LIMIT.raises:
            return LIMIT, BetMenu()
    chips = (betting.rounds, betting.stack, betting.blinds[::-1])
    if not betting.bets and chips == (len(STREETS), NO_LIMIT.stack, NO_LIMIT.blinds) and len(set(betting.raises)) == 1:
        return NO_LIMIT, BetMenu(betting.sizes, betting.raises[0], capped=True)
    raise UnsupportedGameError(
        "an agent plays four streets of limit hold'em (blinds 1 and 2, bets 2, 2, 4, 4) or of no-limit hold'em with"
        " blinds of 50 and 100 and stacks of 20,000",
        where=f"{betting.rounds} streets, blinds {betting.blinds}, stack {betting.stack}",
        fix="solve one of these with `equiform holdem --rounds 4` or `equiform blueprint`",
    )
