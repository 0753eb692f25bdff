"""An agent: an abstraction, a strategy, a way to read bets, a post-processor, and perhaps an endgame solver.

It remembers nothing between moves. Where the hand stands in the abstraction is read from the moves anew, with random
numbers that belong to the hand, the seat and the number of the move: what a bet was once read as stays the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from equiform.abstraction.actions.translation import RAND_PSHAR, TranslationMapping
from equiform.abstraction.postprocess import IDENTITY, PURIFICATION, PostProcessor, fold_call_bet, thresholding
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.play.dealer.betting import CALL, Action, BettingState
from equiform.play.dealer.hand import Cards, View
from equiform.play.dealer.rules import BOARD_CARDS, HoldemRules
from equiform.play.holdem.abstract_betting import real_action
from equiform.play.holdem.blueprint import Blueprint
from equiform.play.holdem.buckets import Buckets
from equiform.play.holdem.simple import own_draw

#: Streams of random numbers: the player's moves, and how it reads the opponent's.
MOVES, READING = 0, 1


class Endgames(Protocol):
    """What plays the last street in the strategy's place."""

    def act(self, agent: HoldemAgent, view: View) -> Action | None:
        """Return a move, or ``None`` to leave it to the strategy."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return what a folder says about it."""
        ...


@dataclass(frozen=True, eq=False)
class HoldemAgent:
    """A player of heads-up hold'em."""

    name: str
    blueprint: Blueprint = field(repr=False)
    buckets: Buckets = field(repr=False)
    translation: TranslationMapping = RAND_PSHAR
    postprocess: str = "none"
    """``none``, ``purify``, ``threshold:0.15`` or ``fold-call-bet``."""
    endgames: Endgames | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        post_processor(self.postprocess)

    @property
    def rules(self) -> HoldemRules:
        """The game that the agent plays."""
        return self.blueprint.betting.rules

    @cached_property
    def played(self) -> Blueprint:
        """The strategy after post-processing."""
        return processed(self.blueprint, post_processor(self.postprocess))

    def act(self, view: View) -> Action:
        """Return a move; where the abstraction is ahead of the hand, the agent calls."""
        if self.endgames is not None and (found := self.endgames.act(self, view)) is not None:
            return found
        node = self.place(view)
        if node is None:
            return CALL
        deal = np.array([[*view.hole, *view.board]], dtype=np.int64)
        odds = self.played.rows(node)[int(self.buckets.look_up(deal)[0])]
        return real_action(self.played.betting, node, drawn(odds, own_draw(self.seed, view, MOVES)), view.betting)

    def place(self, view: View) -> int | None:
        """Return the abstract line that the hand's moves are read as."""
        betting = self.blueprint.betting

        def draw(number: int) -> float:
            return own_draw(self.seed, view, READING, number)

        return betting.read(view.betting, draw, self.translation)

    def hand_odds(self, node: int, hands: IntArray, board: Cards) -> FloatArray:
        """Return what the strategy plays at a line with each of many hands: a row per hand, a column per move."""
        deals = np.hstack([hands, np.tile(np.array(board, dtype=np.int64), (len(hands), 1))])
        return self.played.rows(node)[self.buckets.look_up(deals)]

    def line_weights(self, seat: int, view: View, hands: IntArray) -> FloatArray:
        """Return how likely a seat that plays this strategy makes its moves of the hand, with each of many hands.

        Moves at which the abstraction is ahead of the hand tell nothing.
        """
        weights = np.ones(len(hands))
        state = BettingState.start(self.rules)
        for action in view.betting.moves:
            after = state.after(action)
            if state.turn == seat and (move := self.read_move(view, state, after)) is not None:
                node, column = move
                weights *= self.hand_odds(node, hands, view.board[: BOARD_CARDS[state.street]])[:, column]
            state = after
        return weights

    def read_move(self, view: View, state: BettingState, after: BettingState) -> tuple[int, int] | None:
        """Return the abstract line and which of its moves leads from one real state to the next."""
        node = self.place(view._replace(betting=state))
        if node is None:
            return None
        betting = self.blueprint.betting
        action = after.moves[-1]
        if action.kind != "r":
            return node, betting.actions(node).index(action)
        to = betting.step(node, state, action, own_draw(self.seed, view, READING, len(state.moves)), self.translation)
        return node, betting.children(node).index(to)

    def to_dict(self) -> dict[str, Any]:
        """Return what a folder says about the agent."""
        return {
            "name": self.name,
            "betting": self.blueprint.betting.to_dict(),
            "buckets": self.buckets.to_dict(),
            "translation": self.translation.name,
            "postprocess": self.postprocess,
            "endgames": None if self.endgames is None else self.endgames.to_dict(),
            "training": dict(self.blueprint.training),
        }


def drawn(odds: FloatArray, chance: float) -> int:
    """Return the move that a random number falls on."""
    reached = np.cumsum(odds)
    move = int(np.searchsorted(reached, chance * reached[-1], side="right"))
    return min(move, int(np.flatnonzero(odds > 0)[-1]))


def post_processor(text: str) -> PostProcessor:
    """Read how a strategy is rounded.

    >>> post_processor("threshold:0.15").name
    'Thresholding-0.15'
    """
    name, _, number = str(text).partition(":")
    simple: Mapping[str, PostProcessor] = {"none": IDENTITY, "purify": PURIFICATION, "fold-call-bet": fold_call_bet()}
    if not number and name in simple:
        return simple[name]
    try:
        if name == "threshold":
            return thresholding(float(number))
    except ValueError as error:
        if isinstance(error, ParameterError):
            raise
    raise ParameterError(
        f"{text!r} is not a post-processor", where="agent", fix="use none, purify, threshold:0.15 or fold-call-bet"
    )


def processed(blueprint: Blueprint, rounding: PostProcessor) -> Blueprint:
    """Round a strategy everywhere."""
    if rounding is IDENTITY:
        return blueprint
    betting = blueprint.betting
    table = np.empty_like(blueprint.table)
    offsets = betting.tree.offsets(blueprint.sizes)
    kinds: dict[tuple[str, ...], list[int]] = {}
    for node in np.flatnonzero(betting.tree.turn >= 0).tolist():
        moves = tuple({"f": "fold", "c": "call"}.get(a.kind, f"raise {k}") for k, a in enumerate(betting.actions(node)))
        kinds.setdefault(moves, []).append(node)
    for moves, nodes in kinds.items():  # all lines with the same moves at once
        rows = [blueprint.rows(node) for node in nodes]
        rounded = np.split(rounding.mixed(np.vstack(rows), moves), np.cumsum([len(r) for r in rows])[:-1])
        for node, part in zip(nodes, rounded, strict=True):
            table[int(offsets[node]) : int(offsets[node + 1])] = part.ravel()
    return Blueprint(betting, blueprint.sizes, table, blueprint.training)
