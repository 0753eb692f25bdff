"""Cuts and blueprints in words: ``chance=2``, ``groups:0,0,1`` and the like."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

from equiform.endgames.card_blueprint import card_blueprint, num_ranks, parse_groups
from equiform.endgames.cut import Condition, after_chance, after_history, after_moves, cut
from equiform.endgames.methods import Blueprint
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.common.errors import ParameterError
from equiform.models.extensive import ExtensiveGame
from equiform.models.sequence_form import sequence_form
from equiform.models.strategy import Strategy, read_profile

BlueprintLike: TypeAlias = str | Path | tuple[Strategy, Strategy]
"""``equilibrium``, ``uniform``, ``groups:…``, a strategy file, or the strategies themselves."""


def require_tree(game: Any) -> ExtensiveGame:
    """Check that a game is a tree, and return it with payoffs that sum to zero."""
    if not isinstance(game, ExtensiveGame):
        raise ParameterError(
            "only a game tree has endgames",
            where=str(getattr(game, "name", type(game).__name__)),
            fix="use rps-sequential, kuhn, leduc, …",
        )
    return game.zero_sum()


def parse_cut(tree: ExtensiveGame, text: str) -> Condition:
    """Read where endgames begin: ``chance=N``, ``moves=N`` or ``history=EVENTS``."""
    kind, equals, what = text.partition("=") if isinstance(text, str) else ("", "", "")
    if equals and kind == "history":
        return after_history(tree, what)
    if kind not in ("chance", "moves") or not (what.isascii() and what.isdigit()):
        raise ParameterError(f"{text!r} is not a cut", where="cut", fix="e.g. chance=2, moves=1 or history=bet–call")
    return (after_chance if kind == "chance" else after_moves)(tree, int(what))


def read_blueprint(
    tree: ExtensiveGame, where: str, given: BlueprintLike, *, solver: SolverOptions = DEFAULT
) -> Blueprint:
    """Cut a tree and put strategies into it.

    Parameters
    ----------
    tree
        A two-player zero-sum game.
    where
        The cut, as :func:`parse_cut` reads it.
    given
        ``equilibrium``, ``uniform``, a strategy file, a pair of strategies, or ``groups:0,0,1``: the equilibrium of a
        card abstraction with one group per rank, for both players or (``groups:0,0,1-0,1,1``) for each.
    solver
        How to find an equilibrium where one is asked for.
    """
    parts = cut(tree, parse_cut(tree, where))
    return Blueprint.of(parts, _strategies(tree, given, solver))


def _strategies(tree: ExtensiveGame, given: BlueprintLike, solver: SolverOptions) -> tuple[Strategy, Strategy]:
    if isinstance(given, tuple):
        return given
    if given == "uniform":
        first, second = (Strategy(t, t.uniform()) for t in tree.treeplexes)
    elif given == "equilibrium":
        found = sequence_form_lp.solve(sequence_form(tree), solver=solver).require_optimal()
        first, second = (s for s in found.strategies if s is not None)
    elif isinstance(given, str) and given.startswith("groups:"):
        groups = [parse_groups(g, num_ranks(tree)) for g in given.removeprefix("groups:").split("-")]
        return card_blueprint(tree, (groups[0], groups[-1]), solver=solver).strategies
    else:
        first, second = read_profile(given, tree.treeplexes)
    return first, second
