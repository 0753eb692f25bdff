r"""Re-solving by linear programs: every endgame of a cut, one player, one method; glued back into the whole game.

* ``unsafe``: as published, with or without a reach floor (:mod:`equiform.formulations.endgames.unsafe`);
* ``resolve``: the re-solve gadget (:mod:`equiform.formulations.endgames.resolve_gadget`);
* ``max-margin`` (:mod:`equiform.formulations.endgames.max_margin`);
* ``joint``: all endgames in one program (:mod:`equiform.formulations.endgames.joint`), the bound for all others.

In an endgame that the trunk strategies never enter the old strategy stays, and so it does at information sets below
moves that the player never makes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equiform.endgames.cut import Cut
from equiform.endgames.entry_form import Endgame, endgames
from equiform.formulations.endgames import joint, max_margin, resolve_gadget, unsafe
from equiform.formulations.endgames.result import EndgameResult
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.models.common.arguments import require_name, require_number, require_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import StrategyError
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.models.strategy import Strategy

PROGRAMS = {"unsafe": unsafe, "resolve": resolve_gadget, "max-margin": max_margin}
"""The programs that solve endgames one by one."""

METHODS = (*PROGRAMS, "joint")

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Blueprint:
    """A cut game, a strategy of either player for all of it, and the endgames in which to do better."""

    cut: Cut = field(repr=False)
    form: SequenceForm = field(repr=False)
    strategies: tuple[Strategy, Strategy] = field(repr=False)
    endgames: tuple[Endgame, ...] = field(repr=False)

    @staticmethod
    def of(cut: Cut, strategies: tuple[Strategy, Strategy]) -> Blueprint:
        """Put a cut and a profile of its game together.

        Raises
        ------
        StrategyError
            If a strategy is not one of this game.
        """
        for strategy, treeplex in zip(strategies, cut.game.treeplexes, strict=True):
            if strategy.treeplex.num_sequences != treeplex.num_sequences:
                raise StrategyError(
                    f"a strategy of {strategy.treeplex.num_sequences} sequences does not fit",
                    where=f"{treeplex.player} has {treeplex.num_sequences} in {cut.game.name}",
                    fix="use strategies of the game that was cut; lift those of an abstraction first",
                )
        return Blueprint(cut, sequence_form(cut.game), strategies, endgames(cut))

    def guarantee(self, player: int, plan: FloatArray) -> float:
        """Return what a plan gets its player at least."""
        return -self.form.treeplexes[1 - player].best_value(self.form.gradient(1 - player, plan))


@dataclass(frozen=True, eq=False)
class Resolved:
    """One player's strategy with all endgames re-solved."""

    method: str
    player: int
    strategy: Strategy = field(repr=False)
    guarantee: float
    """What the strategy gets its player at least in the whole game."""
    old_guarantee: float
    kept: int
    """Endgames in which the old strategy stayed because the trunk never enters them."""
    results: tuple[EndgameResult, ...] = field(repr=False)

    @property
    def gain(self) -> float:
        """How much less exploitable the player has become; negative if more."""
        return self.guarantee - self.old_guarantee

    def exploitability(self, value: float) -> float:
        """Return how far the guarantee falls short of the game's value (to player 1 of the two)."""
        return (value if self.player == 0 else -value) - self.guarantee

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "method": self.method,
            "player": self.player + 1,
            "guarantee": self.guarantee,
            "old_guarantee": self.old_guarantee,
            "gain": self.gain,
            "kept": self.kept,
            "strategy": self.strategy.table(),
        }


def resolve(
    blueprint: Blueprint,
    method: str,
    *,
    player: int = 0,
    floor: float = 0.0,
    solver: SolverOptions = DEFAULT,
    progress: Progress | None = None,
) -> Resolved:
    """Re-solve every endgame for one player and measure the glued strategy in the whole game.

    Parameters
    ----------
    blueprint
        The cut game and a profile of it. Of the opponent's strategy only ``unsafe`` reads the trunk.
    method
        One of :data:`METHODS`.
    player
        Whose play is re-solved.
    floor
        For ``unsafe``: the least weight with which either player is taken to arrive.
    progress
        Called with the number of endgames done and their total.

    Returns
    -------
    Resolved
        The strategy and what it guarantees, by a best response in the whole game.
    """
    require_name(method, METHODS, "method", "endgame solving")
    require_player(player, 2, blueprint.cut.game.name)
    floor = require_number(floor, "floor", "endgame solving")
    strategy = blueprint.strategies[player]
    plan, behavior = strategy.plan, strategy.floats
    results: list[EndgameResult] = []
    if method == "joint":
        behavior = _jointly(blueprint, player, solver)
    else:
        for number, endgame in enumerate(blueprint.endgames):
            data = program_data(endgame, blueprint, method, player=player, floor=floor)
            if data is not None:
                answer: EndgameResult = PROGRAMS[method].solve(endgame.form, *data, player=player, solver=solver)
                results.append(answer)
                local = endgame.form.treeplexes[player]
                old = endgame.local_behavior(player, behavior)
                behavior = endgame.glue(player, behavior, local.behavior(answer.plan, unreached=old))
            if progress is not None:
                progress(number + 1, len(blueprint.endgames))
    glued = Strategy(strategy.treeplex, behavior)
    return Resolved(
        method,
        player,
        glued,
        blueprint.guarantee(player, glued.plan),
        blueprint.guarantee(player, plan),
        0 if method == "joint" else len(blueprint.endgames) - len(results),
        tuple(results),
    )


def program_data(
    endgame: Endgame, blueprint: Blueprint, method: str, *, player: int = 0, floor: float = 0.0
) -> tuple[FloatArray, ...] | None:
    """Return what a method's program takes after the entry form, one number per class in each array.

    The numbers are scaled so that the endgame is entered with probability one; ``None`` if it is never entered.
    """
    plans = [s.plan for s in blueprint.strategies]
    if method == "unsafe":
        plans = [np.maximum(p, floor) for p in plans]
        faced = endgame.weights(1 - player, plans[1 - player])
        mass = float(endgame.entry_reach(plans).sum())
        if mass <= 0.0:
            return None
        own = endgame.weights(player, plans[player])
        top = faced.max()
        return own * (top / mass), faced / top
    plan = plans[player]
    reach = endgame.class_reach(1 - player, plan)
    mass = float(reach.sum())
    if mass <= 0.0:
        return None
    own, old = endgame.weights(player, plan) / mass, endgame.conceded(player, plan) / mass
    return (own, old) if method == "resolve" else (own, old, reach / mass)


def _jointly(blueprint: Blueprint, player: int, solver: SolverOptions) -> FloatArray:
    """Return the behaviour that the program of all endgames finds; the trunk keeps its own."""
    strategy, trunk = blueprint.strategies[player], blueprint.cut.trunk_sequences(player)
    found = joint.solve(blueprint.form, strategy.plan, trunk, player=player, solver=solver).plans[player]
    assert found is not None
    behavior = strategy.treeplex.behavior(found, unreached=strategy.floats)
    behavior[trunk] = strategy.floats[trunk]
    return behavior
