"""Endgame solving: cut a game, re-solve what lies below the trunk, and measure the result in the whole game."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from equiform.api.equilibrium import solve
from equiform.api.inputs import GameLike, as_game
from equiform.endgames.endgame_property import EndgameProperty, epsilon_star
from equiform.endgames.methods import METHODS, Blueprint, Resolved, resolve
from equiform.endgames.reading import BlueprintLike, read_blueprint, require_tree
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.models.common.arguments import require_name
from equiform.models.common.records import plain
from equiform.models.strategy import Strategy
from equiform.validation.exact.endgames import METHODS as EXACT_METHODS
from equiform.validation.exact.endgames import ExactResolved, resolve_exactly, rounded

Pair = tuple[Resolved, Resolved]
"""Player 1's strategy and player 2's."""


@dataclass(frozen=True, eq=False)
class EndgamesSolved:
    """A blueprint and what re-solving makes of it, method by method."""

    game: str
    cut: str
    blueprint: str
    floor: float
    value: float
    """The game's value to player 1."""
    endgames: tuple[str, ...]
    before: tuple[float, float]
    """How exploitable either player's blueprint is."""
    resolved: dict[str, Pair] = field(repr=False)
    """Both players' strategies by method."""
    property: tuple[EndgameProperty, ...] = field(repr=False)
    """ε*(δ) for each δ that was asked for, both players."""

    def strategies(self, method: str) -> tuple[Strategy, Strategy]:
        """Return the profile that a method found."""
        first, second = self.resolved[require_name(method, self.resolved, "method", self.game)]
        return first.strategy, second.strategy

    def to_dict(self) -> dict[str, Any]:
        """Return what ``equiform endgame --json`` prints: a row for the blueprint and one per method."""
        rows: list[dict[str, Any]] = [{"method": "blueprint", "exploitability": self.before}]
        for method, pair in self.resolved.items():
            rows.append(
                {
                    "method": method,
                    "exploitability": [found.exploitability(self.value) for found in pair],
                    "gain": [found.gain for found in pair],
                    "kept": [found.kept for found in pair],
                }
            )
        document: dict[str, Any] = plain(
            {
                "game": self.game,
                "cut": self.cut,
                "blueprint": self.blueprint,
                "floor": self.floor,
                "value": self.value,
                "endgames": self.endgames,
                "rows": rows,
                "property": self.property,
            }
        )
        return document


@dataclass(frozen=True, eq=False)
class EndgamesSolvedExactly:
    """What re-solving gains, as Fractions: whether a method is ever worse is then a question of signs."""

    game: str
    rows: tuple[ExactResolved, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``equiform endgame --exact --json`` prints; players count from 1."""
        rows = [{"method": r.method, "player": r.player + 1, "gain": r.gain} for r in self.rows]
        document: dict[str, Any] = plain({"game": self.game, "rows": rows})
        return document


def endgame(
    game: GameLike,
    *,
    cut: str = "chance=2",
    blueprint: BlueprintLike = "equilibrium",
    methods: Sequence[str] = METHODS,
    floor: float = 0.0,
    deltas: Sequence[float] = (),
    solver: SolverOptions = DEFAULT,
    progress: Callable[[int, int], None] | None = None,
) -> EndgamesSolved:
    """Re-solve the endgames of a game below a trunk, for both players.

    Parameters
    ----------
    game
        Anything that :func:`as_game` takes and that is a two-player zero-sum tree.
    cut
        Where endgames begin: ``chance=N``, ``moves=N`` or ``history=EVENTS``.
    blueprint
        ``equilibrium``, ``uniform``, a strategy file, a pair of strategies, or ``groups:0,0,1`` (one group per rank).
    methods
        Some of ``unsafe``, ``resolve``, ``max-margin`` and ``joint``.
    floor
        For ``unsafe``: the least weight with which players are taken to arrive.
    deltas
        Also compute ε*(δ) for each of these δ.
    progress
        Called with the number of endgames done and their total.

    Returns
    -------
    EndgamesSolved
        The strategies and how exploitable they are, by best responses in the whole game.
    """
    for method in methods:
        require_name(method, METHODS, "method", "endgame solving")
    prepared = _prepared(game, cut, blueprint, solver)
    value = solve(prepared.cut.game, backend=solver.backend).value
    before = tuple(_fair(value, p) - prepared.guarantee(p, s.plan) for p, s in enumerate(prepared.strategies))
    return EndgamesSolved(
        game=_name(game),
        cut=cut,
        blueprint="given" if isinstance(blueprint, tuple) else str(blueprint),
        floor=floor,
        value=value,
        endgames=tuple(e.name for e in prepared.endgames),
        before=(before[0], before[1]),
        resolved=_resolve_all(prepared, methods, floor, solver, progress),
        property=tuple(
            epsilon_star(prepared, delta, value=value, player=p, solver=solver) for delta in deltas for p in (0, 1)
        ),
    )


def endgame_exactly(
    game: GameLike,
    *,
    cut: str = "chance=2",
    blueprint: BlueprintLike = "equilibrium",
    methods: Sequence[str] = EXACT_METHODS,
    solver: SolverOptions = DEFAULT,
) -> EndgamesSolvedExactly:
    """Re-solve in rational numbers, after rounding the blueprint to multiples of 1/1000.

    The arguments are those of :func:`endgame`; ``joint`` has no exact route.
    """
    for method in methods:
        require_name(method, EXACT_METHODS, "method", "exact endgame solving")
    floats = _prepared(game, cut, blueprint, solver)
    first, second = floats.strategies
    prepared = dataclasses.replace(floats, strategies=(rounded(first), rounded(second)))
    rows = tuple(resolve_exactly(prepared, method, player=p) for method in methods for p in (0, 1))
    return EndgamesSolvedExactly(_name(game), rows)


def _prepared(game: GameLike, cut: str, blueprint: BlueprintLike, solver: SolverOptions) -> Blueprint:
    return read_blueprint(require_tree(as_game(game)), cut, blueprint, solver=solver)


def _resolve_all(
    prepared: Blueprint,
    methods: Sequence[str],
    floor: float,
    solver: SolverOptions,
    progress: Callable[[int, int], None] | None,
) -> dict[str, Pair]:
    each = len(prepared.endgames)
    found: dict[str, Pair] = {}
    for method in methods:

        def one(player: int, method: str = method) -> Resolved:
            done = (2 * len(found) + player) * each

            def report(finished: int, _: int) -> None:
                if progress is not None:
                    progress(done + finished, 2 * len(methods) * each)

            return resolve(prepared, method, player=player, floor=floor, solver=solver, progress=report)

        found[method] = one(0), one(1)
    return found


def _fair(value: float, player: int) -> float:
    return value if player == 0 else -value


def _name(game: GameLike) -> str:
    return game if isinstance(game, str) else str(getattr(game, "name", type(game).__name__))
