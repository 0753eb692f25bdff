"""Stage games that are trees or tables: any number of states, any number of players, perfect recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equiform.models.common.arguments import require_sequence
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import GameError
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm
from equiform.models.treeplex import Treeplex

Stage = ExtensiveGame | NormalForm


@dataclass(frozen=True, eq=False)
class TreeStages:
    """One extensive game or table per state. Outcomes are terminal nodes, or cells in row-major order.

    A seat's treeplexes of all states are merged into one under a common empty sequence, so that a best response in
    every state is a single best response.
    """

    stages: tuple[Stage, ...] = field(repr=False)

    def __post_init__(self) -> None:
        stages = require_sequence(self.stages, "stages", "stochastic game")
        if not stages:
            raise GameError("a stochastic game without states", fix="pass one stage game per state")
        seats = len(stages[0].treeplexes)
        for s, stage in enumerate(stages):
            if not isinstance(stage, ExtensiveGame | NormalForm):
                raise GameError(f"stage {s} is {type(stage).__name__}", fix="pass extensive games or normal forms")
            if len(stage.treeplexes) != seats:
                raise GameError(
                    f"{len(stage.treeplexes)} players in state {s}, {seats} in state 0",
                    where=stage.name,
                    fix="let all players take part in every stage, with one action where they have no choice",
                )

    @property
    def num_seats(self) -> int:
        """Count the players."""
        return len(self.stages[0].treeplexes)

    @cached_property
    def first(self) -> IntArray:
        """Where the outcomes of each state begin."""
        sizes = [
            len(g.terminals) if isinstance(g, ExtensiveGame) else int(np.prod(g.payoffs.shape[1:])) for g in self.stages
        ]
        return np.concatenate([[0], np.cumsum(sizes)])

    @cached_property
    def treeplexes(self) -> tuple[Treeplex, ...]:
        """The merged treeplex of each seat."""
        return tuple(self._merged(seat) for seat in range(self.num_seats))

    def _merged(self, seat: int) -> Treeplex:
        parts = [stage.treeplexes[seat] for stage in self.stages]
        shifts = self._shifts(seat)
        parent = [np.where(t.parent == 0, 0, t.parent + shift) for t, shift in zip(parts, shifts, strict=False)]
        start = [t.start[:-1] + shift for t, shift in zip(parts, shifts, strict=False)]
        return Treeplex(
            player=parts[0].player,
            parent=np.concatenate(parent).astype(np.int32),
            start=np.concatenate([*start, [1 + shifts[-1]]]).astype(np.int32),
            infosets=tuple((s, h) for s, t in enumerate(parts) for h in t.infosets),
            actions=tuple(a for t in parts for a in t.actions),
            describe=lambda key: f"state {key[0]}: {parts[key[0]].describe(key[1])}",
        )

    def _shifts(self, seat: int) -> IntArray:
        """How far the sequences of each state move up in the merged treeplex."""
        sizes = [stage.treeplexes[seat].num_sequences - 1 for stage in self.stages]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def _chance(self) -> FloatArray:
        """Chance's probability of each outcome."""
        return np.concatenate([_chance_of(stage) for stage in self.stages])

    @cached_property
    def _sequences(self) -> tuple[IntArray, ...]:
        """For each seat the (merged) last sequence before each outcome."""
        found = []
        for seat in range(self.num_seats):
            shifts = self._shifts(seat)
            own = [_sequences_of(stage, seat) for stage in self.stages]
            found.append(np.concatenate([np.where(q == 0, 0, q + d) for q, d in zip(own, shifts, strict=False)]))
        return tuple(found)

    def start(self, seat: int) -> FloatArray:
        """Return the realization plan that chooses uniformly everywhere."""
        treeplex = self.treeplexes[seat]
        return treeplex.realization(treeplex.uniform())

    def state_of(self, seat: int) -> IntArray:
        """Return the state of each sequence; -1 for the empty one."""
        sizes = np.diff(self._shifts(seat))
        return np.append(-1, np.repeat(np.arange(len(self.stages)), sizes))

    def prospects(self, profile: tuple[FloatArray, ...]) -> tuple[TreeProspects, ...]:
        """Return the prospects of every seat when the others play the plans of the profile."""
        reach = [plan[own] for plan, own in zip(profile, self._sequences, strict=True)]
        found = []
        for seat in range(self.num_seats):
            others = self._chance.copy()
            for other in range(self.num_seats):
                if other != seat:
                    others *= reach[other]
            found.append(TreeProspects(self.treeplexes[seat], self._sequences[seat], others))
        return tuple(found)

    def near(self, profile: tuple[FloatArray, ...]) -> TreeStages:
        """Return the stages themselves: trees that fit into memory are cheap to evaluate."""
        return self


@dataclass(frozen=True, eq=False)
class TreeProspects:
    """What the others and chance contribute to the probability of each outcome."""

    treeplex: Treeplex
    sequences: IntArray = field(repr=False)
    reach: FloatArray = field(repr=False)

    def respond(self, payoffs: FloatArray) -> FloatArray:
        """Return the plan of a best response in every state."""
        gradient = np.zeros(self.treeplex.num_sequences)
        np.add.at(gradient, self.sequences, self.reach * payoffs)
        return self.treeplex.best_response(gradient).plan

    def probabilities(self, strategy: FloatArray) -> FloatArray:
        """Return the probability of every outcome."""
        return self.reach * strategy[self.sequences]


def _chance_of(stage: Stage) -> FloatArray:
    if isinstance(stage, NormalForm):
        return np.ones(int(np.prod(stage.payoffs.shape[1:])))
    index, values = stage.chance_reach
    return np.array([float(v) for v in values])[index[stage.terminals]]


def _sequences_of(stage: Stage, seat: int) -> IntArray:
    if isinstance(stage, NormalForm):
        shape = stage.payoffs.shape[1:]
        return 1 + np.indices(shape)[seat].ravel()
    return stage.sequences[seat, stage.terminals].astype(np.int64)


def matrix_stages(name: str, tables: Sequence[tuple[Sequence[str], ...]], players: Sequence[str]) -> TreeStages:
    """Return stages in which all move at once; ``tables[state][seat]`` names the actions of a seat."""
    stages = []
    for s, actions in enumerate(tables):
        shape = (len(players), *(len(a) for a in actions))
        stages.append(
            NormalForm(f"{name}, state {s}", tuple(players), tuple(tuple(a) for a in actions), np.zeros(shape))
        )
    return TreeStages(tuple(stages))
