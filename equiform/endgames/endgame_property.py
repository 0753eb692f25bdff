r"""The (ε, δ)-endgame property of a cut game (Ganzfried 2015, §10.1, Proposition 11).

For a trunk and a δ, :math:`\varepsilon^*(\delta)` is the largest exploitability in the whole game of play that is, in
every endgame, within δ of that endgame's value. An endgame that the trunk strategies never enter has no distribution
and sets no limit: any play is good there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from equiform.endgames.entry_form import Endgame
from equiform.endgames.methods import Blueprint
from equiform.formulations.endgames import endgame_property, unsafe, worst_play
from equiform.formulations.endgames.endgame_property import EnteredEndgame, Subset
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.models.common.arguments import require_number, require_player
from equiform.models.common.array_types import BoolArray, FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex

#: Every set of classes of an endgame is a program of its own.
MOST_CLASSES = 10

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class EndgameProperty:
    """One point of the curve, with the play that attains it."""

    player: int
    delta: float
    epsilon: float
    strategy: Strategy = field(repr=False)
    """Within δ of every endgame's value, and exploitable by ε in the whole game."""
    exploitability: float
    """The same number again, by a best response in the whole game."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "player": self.player + 1,
            "delta": self.delta,
            "epsilon": self.epsilon,
            "exploitability": self.exploitability,
        }


@dataclass(frozen=True, eq=False)
class WorstPlayData:
    """An endgame as the search for its worst good play sees it, scaled so that the player enters with certainty."""

    weights: FloatArray = field(repr=False)
    faced: FloatArray = field(repr=False)
    """How the opponent's trunk strategy arrives in each class."""
    floor: float | None
    """What play must be worth; ``None`` where the trunk strategies never arrive together and any play is good."""
    scale: float


def epsilon_star(
    blueprint: Blueprint,
    delta: float,
    *,
    value: float,
    player: int = 0,
    solver: SolverOptions = DEFAULT,
    progress: Progress | None = None,
) -> EndgameProperty:
    """Compute ε*(δ) for one player's play below the trunk of a blueprint.

    Parameters
    ----------
    blueprint
        The cut game; only the trunk of its strategies counts.
    delta
        How far from its value play may be within each endgame.
    value
        The game's value to player 0.
    player
        Whose play is judged.
    progress
        Called with the number of endgames done and their total.
    """
    delta = require_number(delta, "delta", "endgame property")
    require_player(player, 2, blueprint.cut.game.name)
    worst: list[dict[Subset, tuple[float, FloatArray]]] = []
    for number, endgame in enumerate(blueprint.endgames):
        worst.append(_worst_plays(endgame, blueprint, delta, player, solver))
        if progress is not None:
            progress(number + 1, len(blueprint.endgames))
    path = endgame_property.solve(*_path_data(blueprint, worst, player), solver=solver)
    visits = iter(path.subsets)
    strategy = _glued(blueprint, player, worst, [next(visits) if plays else () for plays in worst])
    fair = value if player == 0 else -value
    exploitability = fair - blueprint.guarantee(player, strategy.plan)
    return EndgameProperty(player, delta, fair + path.collected, strategy, exploitability)


def build_path(blueprint: Blueprint, delta: float, *, player: int = 0, solver: SolverOptions = DEFAULT) -> Any:
    """Build the last program of :func:`epsilon_star`, the opponent's choice of a path through the trunk."""
    worst = [_worst_plays(endgame, blueprint, delta, player, solver) for endgame in blueprint.endgames]
    return endgame_property.build(*_path_data(blueprint, worst, player))


def worst_play_data(
    endgame: Endgame, blueprint: Blueprint, delta: float, *, player: int = 0, solver: SolverOptions = DEFAULT
) -> WorstPlayData | None:
    """Return what the program of the worst play takes; ``None`` if the player never enters the endgame."""
    plans, other = [s.plan for s in blueprint.strategies], 1 - player
    own, faced = endgame.weights(player, plans[player]), endgame.weights(other, plans[other])
    mass = float(endgame.entry_reach(plans).sum())
    scale = float(endgame.class_reach(other, plans[player]).sum())
    if scale <= 0.0:
        return None
    floor = None
    if mass > 0.0:
        best = unsafe.solve(endgame.form, own / scale, faced, player=player, solver=solver).objective
        floor = best - delta * mass / scale
    return WorstPlayData(own / scale, faced, floor, scale)


def _worst_plays(
    endgame: Endgame, blueprint: Blueprint, delta: float, player: int, solver: SolverOptions
) -> dict[Subset, tuple[float, FloatArray]]:
    """Return the most that every set of the opponent's classes can collect, and from which play."""
    classes = endgame.num_classes(1 - player)
    if classes > MOST_CLASSES:
        raise ParameterError(
            f"the opponent has {classes} classes in an endgame, and each set of them is a program",
            where=endgame.name,
            fix=f"use a game with at most {MOST_CLASSES} classes per endgame",
        )
    data = worst_play_data(endgame, blueprint, delta, player=player, solver=solver)
    if data is None:  # the player never comes here: nothing can be collected
        return {}
    found = {}
    for size in range(1, classes + 1):
        for subset in combinations(range(classes), size):
            chosen = np.isin(np.arange(classes), subset)
            play = worst_play.solve(
                endgame.form, data.weights, data.faced, chosen, floor=data.floor, player=player, solver=solver
            )
            found[subset] = (play.objective * data.scale, play.plan)
    return found


def _path_data(
    blueprint: Blueprint, worst: list[dict[Subset, tuple[float, FloatArray]]], player: int
) -> tuple[Treeplex, BoolArray, FloatArray, list[EnteredEndgame]]:
    """Return what the program of the opponent's path takes."""
    other, plan = 1 - player, blueprint.strategies[player].plan
    entered = [
        EnteredEndgame(
            endgame.sequences[other][1 : 1 + endgame.num_classes(other)],
            {subset: most for subset, (most, _) in plays.items()},
        )
        for endgame, plays in zip(blueprint.endgames, worst, strict=True)
        if plays
    ]
    earned = blueprint.form.gradient(other, plan)
    for endgame in blueprint.endgames:  # what is earned inside endgames counts there
        inside = endgame.form.gradient(other, plan[endgame.sequences[player]])
        np.subtract.at(earned, endgame.sequences[other], inside)
    return blueprint.form.treeplexes[other], blueprint.cut.trunk_sequences(other), earned, entered


def _glued(
    blueprint: Blueprint,
    player: int,
    worst: list[dict[Subset, tuple[float, FloatArray]]],
    subsets: list[Subset],
) -> Strategy:
    """Play in every endgame the worst for the classes that enter it."""
    old = blueprint.strategies[player]
    behavior = old.floats
    for endgame, plays, subset in zip(blueprint.endgames, worst, subsets, strict=True):
        # whom nobody visits may play anything that is good; some set of classes shows one way
        key = subset if subset in plays else next(iter(plays), None)
        if key is None:
            continue
        local = endgame.form.treeplexes[player].behavior(
            plays[key][1], unreached=endgame.local_behavior(player, behavior)
        )
        behavior = endgame.glue(player, behavior, local)
    return Strategy(old.treeplex, behavior)
