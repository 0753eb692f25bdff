"""The algorithms by name: what the command line, comparisons and saved runs refer to."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equiform.models.common.arguments import near_names, require_name
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.extensive import ExtensiveGame
from equiform.models.game import Game, as_sequence_form, require_game
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import SequenceForm
from equiform.runs.record import read_record
from equiform.solvers_iterative.averaging.fictitious_play import FictitiousPlay, MultiplayerFictitiousPlay
from equiform.solvers_iterative.averaging.matrix_fictitious_play import MatrixFictitiousPlay
from equiform.solvers_iterative.base import IterativeSolver
from equiform.solvers_iterative.first_order.egt import EGT
from equiform.solvers_iterative.first_order.iterated_smoothing import IteratedSmoothing
from equiform.solvers_iterative.first_order.pdhg import PDHG
from equiform.solvers_iterative.options import require_kinds
from equiform.solvers_iterative.regret.cfr import CFR
from equiform.solvers_iterative.regret.mccfr import MCCFR
from equiform.solvers_iterative.regret.rule import RULES
from equiform.solvers_iterative.regret.tree_cfr import TreeCFR


@dataclass(frozen=True)
class Algorithm:
    """An iterative algorithm: how to build its solver for a game, and one line about it."""

    name: str
    summary: str
    build: Callable[..., IterativeSolver]


def _as_tree(game: Game, algorithm: str) -> ExtensiveGame:
    if isinstance(game, ExtensiveGame):
        return game
    raise UnsupportedGameError(
        f"{algorithm} walks a game tree, and {game.name} has none",
        where=type(game).__name__,
        fix="use cfr+, egt or fp, which need the payoffs only" if _has_sequence_form(game) else "use fp or mip_nash",
    )


def _has_sequence_form(game: Game) -> bool:
    if isinstance(game, ExtensiveGame):
        return len(game.players) == 2 and game.is_constant_sum and game.has_perfect_recall
    return isinstance(game, SequenceForm) or (len(game.players) == 2 and game.is_constant_sum)


def _require_one_thread(threads: int, game: Game) -> None:
    if threads != 1:
        raise ParameterError(
            f"{game.name} has no sparse products to share between threads", where=f"threads={threads}", fix="use 1"
        )


def _cfr(variant: str) -> Callable[..., IterativeSolver]:
    def build(game: Game, *, threads: int = 1, **weights: Any) -> IterativeSolver:
        if _has_sequence_form(game):
            return CFR(as_sequence_form(game), variant, threads=threads, **weights)
        _require_one_thread(threads, game)
        return TreeCFR(_as_tree(game, variant), variant, **weights)

    return build


def _tree_cfr(variant: str) -> Callable[..., IterativeSolver]:
    def build(game: Game, **weights: Any) -> IterativeSolver:
        return TreeCFR(_as_tree(game, f"tree-{variant}"), variant, **weights)

    return build


def _mccfr(sampling: str) -> Callable[..., IterativeSolver]:
    def build(game: Game, *, seed: int = 0, exploration: float = 0.6) -> IterativeSolver:
        return MCCFR(_as_tree(game, f"mccfr-{sampling}"), sampling, seed=seed, exploration=exploration)

    return build


def _fp(game: Game, *, threads: int = 1) -> IterativeSolver:
    if not isinstance(game, NormalForm) and _has_sequence_form(game):
        return FictitiousPlay(as_sequence_form(game), threads=threads)
    _require_one_thread(threads, game)
    if isinstance(game, NormalForm):
        return MatrixFictitiousPlay(game)
    return MultiplayerFictitiousPlay(_as_tree(game, "fp"))


def _egt(kind: str) -> Callable[..., IterativeSolver]:
    def build(
        game: Game, *, prox: str = kind, aggressive: bool = True, balance_every: int = 10, threads: int = 1
    ) -> IterativeSolver:
        form = as_sequence_form(game)
        return EGT(form, prox=prox, aggressive=aggressive, balance_every=balance_every, threads=threads)

    return build


def _iterated_smoothing(
    game: Game, *, gamma: float = 2.718281828459045, norm: float | None = None, threads: int = 1
) -> IterativeSolver:
    return IteratedSmoothing(as_sequence_form(game), gamma=gamma, norm=norm, threads=threads)


def _pdhg(game: Game, *, check_every: int = 32, norm: float | None = None, threads: int = 1) -> IterativeSolver:
    return PDHG(as_sequence_form(game), check_every=check_every, norm=norm, threads=threads)


_SUMMARIES = {
    "cfr": "counterfactual regret minimization, uniform average (Zinkevich et al. 2007)",
    "cfr+": "CFR with regrets floored at zero and a linear average (Tammelin 2014)",
    "linear-cfr": "CFR with regrets and average weighted by the iteration (Brown & Sandholm 2019)",
    "dcfr": "discounted CFR with (1.5, 0, 2) (Brown & Sandholm 2019)",
    "pcfr+": "predictive CFR+ with a quadratic average (Farina, Kroer & Sandholm 2021)",
}

ALGORITHMS: dict[str, Algorithm] = {
    a.name: a
    for a in (
        *(Algorithm(name, _SUMMARIES[name], _cfr(name)) for name in RULES),
        *(
            Algorithm(f"tree-{name}", f"{name} on the game tree: any players, sums and recall", _tree_cfr(name))
            for name, found in RULES.items()
            if not found.predictive
        ),
        Algorithm(
            "mccfr-external", "Monte Carlo CFR, chance and opponents drawn (Lanctot et al. 2009)", _mccfr("external")
        ),
        Algorithm(
            "mccfr-outcome", "Monte Carlo CFR, one history per traversal (Lanctot et al. 2009)", _mccfr("outcome")
        ),
        Algorithm("mccfr-chance", "Monte Carlo CFR, chance drawn (Zinkevich et al. 2007)", _mccfr("chance")),
        Algorithm("fp", "fictitious play in realization plans (Brown 1951; thesis 9.1)", _fp),
        Algorithm("egt", "excessive gap technique, dilated entropy (Hoda et al. 2010)", _egt("entropy")),
        Algorithm(
            "egt-euclidean", "excessive gap technique, dilated Euclidean prox (Hoda et al. 2010)", _egt("euclidean")
        ),
        Algorithm(
            "iterated-smoothing", "O(log 1/ε) smoothing in stages (Gilpin, Peña & Sandholm 2012)", _iterated_smoothing
        ),
        Algorithm("pdhg", "restarted primal–dual hybrid gradient, linear to 1e-11 (Applegate et al. 2023)", _pdhg),
    )
}


def create(algorithm: str, game: Game, **options: Any) -> IterativeSolver:
    """Build the solver of a named algorithm for a game.

    >>> from equiform.models.normal_form import NormalForm
    >>> pennies = NormalForm.from_matrix("pennies", "HT", "HT", [[1, -1], [-1, 1]])
    >>> create("fp", pennies).algorithm
    'fp'
    """
    require_game(game)
    entry = ALGORITHMS[require_name(algorithm, ALGORITHMS, "algorithm")]
    parameters = inspect.signature(entry.build).parameters
    named = [name for name, p in parameters.items() if p.kind == p.KEYWORD_ONLY]
    open_ended = any(p.kind == p.VAR_KEYWORD for p in parameters.values())  # the weights of a rule check themselves
    unknown = [name for name in options if name not in named]
    if unknown and not open_ended:
        fix = f"{near_names(unknown[0], named)}its options are {', '.join(named) or 'none'}"
        raise ParameterError(f"{algorithm} has no option {unknown[0]!r}", fix=fix)
    require_kinds(options, {name: parameters[name].default for name in named}, algorithm)
    return entry.build(game, **options)


def load_solver(path: str | Path, game: Game) -> IterativeSolver:
    """Rebuild a saved solver on its game and take over its state."""
    saved = read_record(path).task.get("arguments")
    arguments = saved if isinstance(saved, dict) else {}
    options = arguments.get("options")
    solver = create(str(arguments.get("algorithm")), game, **(options if isinstance(options, dict) else {}))
    return solver.load(path)


def seeded_options(algorithm: str, options: Mapping[str, Any], *, seed: int = 0, threads: int = 1) -> dict[str, Any]:
    """Add a seed to the options of an algorithm that draws, and a number of threads unless it is one.

    >>> seeded_options("mccfr-outcome", {"exploration": 0.5}, seed=3), seeded_options("cfr+", {}, seed=3, threads=2)
    ({'seed': 3, 'exploration': 0.5}, {'threads': 2})
    """
    drawn = {"seed": seed} if algorithm.startswith("mccfr") else {}
    shared = {"threads": threads} if threads != 1 else {}
    return {**drawn, **shared, **options}
