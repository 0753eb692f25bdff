"""A player's strategy, however it is given: in a word, in a file, as a strategy or as a realization plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy, read_profile

StrategyLike: TypeAlias = str | Path | Strategy | FloatArray


def strategy_of(form: SequenceForm, player: int, given: StrategyLike | Any) -> Strategy:
    """Return a strategy of a player: ``uniform``, the player's part of a strategy file, or what is given itself."""
    treeplex = form.treeplexes[player]
    if isinstance(given, Strategy):
        return given
    if isinstance(given, np.ndarray):
        return Strategy.from_plan(treeplex, given)
    if isinstance(given, str) and given == "uniform":
        return Strategy(treeplex, treeplex.uniform())
    return read_profile(given, form.treeplexes)[player]


def plan_of(form: SequenceForm, player: int, given: StrategyLike | Any) -> FloatArray:
    """Return the realization plan of such a strategy."""
    return given if isinstance(given, np.ndarray) else strategy_of(form, player, given).plan
