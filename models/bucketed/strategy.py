"""A strategy of a bucketed game: probabilities by round, history and move, read by node of the betting tree."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from equiform.models.bucketed.game import BucketedGame
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import StrategyError
from equiform.models.public.betting import BettingTree


@dataclass(frozen=True, eq=False)
class BucketStrategy:
    """One player's behaviour: ``tables[s][h, j]`` is the probability of move (column) j of round s with history h."""

    betting: BettingTree
    player: int
    tables: tuple[NDArray[np.floating], ...] = field(repr=False)

    def __post_init__(self) -> None:
        widths = self.betting.seats[self.player].width.tolist()
        shapes = [t.shape for t in self.tables]
        if len(shapes) != len(widths) or any(len(s) != 2 or s[1] != w for s, w in zip(shapes, widths, strict=True)):
            raise StrategyError(
                f"tables of shapes {shapes} do not fit a betting tree with {widths} moves per round",
                where=f"player {self.player + 1}",
                fix="use the strategy with the game that it was solved in",
            )

    @staticmethod
    def from_plan(game: BucketedGame, player: int, plan: FloatArray) -> BucketStrategy:
        """Read a realization plan; uniform where the plan never arrives."""
        treeplex = game.treeplexes[player]
        treeplex.require_vector(plan)
        behavior = treeplex.behavior(plan)
        return BucketStrategy.from_behavior(game, player, behavior)

    @staticmethod
    def from_behavior(game: BucketedGame, player: int, behavior: FloatArray) -> BucketStrategy:
        """Read a behavioural strategy in the order of the treeplex."""
        streets = range(game.betting.num_streets)
        return BucketStrategy(game.betting, player, tuple(game.rows(player, s, behavior).copy() for s in streets))

    def behavior(self, game: BucketedGame) -> FloatArray:
        """Return the behavioural strategy in the order of a game's treeplex."""
        vector = np.ones(game.num_sequences[self.player])
        for street, table in enumerate(self.tables):
            rows = game.rows(self.player, street, vector)
            if rows.shape != table.shape:
                raise StrategyError(
                    f"{len(table)} histories on round {street + 1}, and the game has {len(rows)}", where=game.name
                )
            rows[:] = table
        return vector

    def at(self, node: int) -> FloatArray:
        """Return the probabilities of the moves at a decision: a row per history, a column per move."""
        if self.betting.turn[node] != self.player:
            raise StrategyError(
                f"player {self.player + 1} does not decide there",
                where=self.betting.history(node) or "start",
                fix="name a decision of this player",
            )
        columns = [int(self.betting.seats[self.player].column[c]) for c in self.betting.children[node]]
        found = self.tables[int(self.betting.street[node])][:, columns[0] : columns[-1] + 1]
        return found.astype(np.float64)
