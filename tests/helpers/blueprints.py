"""Blueprints whose endgames are re-solved."""

from __future__ import annotations

from equiform.endgames.cut import after_chance, after_moves, cut
from equiform.endgames.methods import Blueprint
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.sequence_form import sequence_form
from tests.helpers.games import tree


def at_equilibrium(name: str) -> tuple[Blueprint, float]:
    """Play an equilibrium, cut at the second deal of Leduc or after the first move; return also its value."""
    game = tree(name)
    result = sequence_form_lp.solve(sequence_form(game))
    first, second = result.strategies
    assert first is not None and second is not None
    condition = after_chance(game, 2) if name.startswith("leduc") else after_moves(game, 1)
    return Blueprint.of(cut(game, condition), (first, second)), result.value
