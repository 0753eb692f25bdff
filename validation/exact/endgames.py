r"""Re-solving in rational numbers: safety as a theorem about Fractions and not about tolerances.

The gadget and the max-margin game of every endgame are solved exactly, the answers are glued into an exact strategy of
the whole game, and its guarantee there is a best response in integers. For both methods

.. math:: \min_y u(x', y) \ge \min_y u(x, y)

holds exactly: in every class of the opponent the new strategy :math:`x'` concedes no more than the old x, and a best
response in the trunk is monotone in what the classes are worth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from equiform.endgames.entry_form import Endgame, Vector
from equiform.endgames.extract import EndgameGame, endgame_game, gadget_game, margin_game
from equiform.endgames.methods import Blueprint
from equiform.models.common.arguments import require_name, require_player
from equiform.models.common.rational import repr_of_fields
from equiform.models.strategy import Strategy
from equiform.validation.certificates.exact_evaluation import exact_best_value, exact_gradient, exact_plan
from equiform.validation.exact.equilibrium import exact_equilibrium

METHODS = ("unsafe", "resolve", "max-margin")


@dataclass(frozen=True, eq=False)
class ExactResolved:
    """One player's strategy with all endgames re-solved, and what it guarantees, as Fractions."""

    method: str
    player: int
    strategy: Strategy = field(repr=False)
    guarantee: Fraction
    old_guarantee: Fraction
    kept: int
    """Endgames in which the old strategy stayed because the trunk never enters them."""

    __repr__ = repr_of_fields

    @property
    def gain(self) -> Fraction:
        """How much less exploitable the player has become; negative if more."""
        return self.guarantee - self.old_guarantee


def resolve_exactly(blueprint: Blueprint, method: str, *, player: int = 0) -> ExactResolved:
    """Re-solve every endgame for one player in rational numbers; both strategies must be exact.

    Raises
    ------
    StrategyError
        If a strategy holds floats (:func:`rounded` makes Fractions of them).
    ExactError
        If an exact optimum is not found.
    """
    require_name(method, METHODS, "method", "exact endgame solving")
    require_player(player, 2, blueprint.cut.game.name)
    plans: list[Vector] = [np.array(exact_plan(s).fractions, dtype=object) for s in blueprint.strategies]
    make: Callable[[Endgame], EndgameGame] = {
        "unsafe": lambda e: endgame_game(e, plans),
        "resolve": lambda e: gadget_game(e, player, plans[player]),
        "max-margin": lambda e: margin_game(e, player, plans[player]),
    }[method]
    old = blueprint.strategies[player]
    behavior, kept = old.probabilities, 0
    for endgame in blueprint.endgames:
        reach = endgame.entry_reach([p if q == player or method == "unsafe" else None for q, p in enumerate(plans)])
        if not reach.sum() > 0:
            kept += 1
            continue
        part = make(endgame)
        behavior = part.glue(player, behavior, exact_equilibrium(part.game).strategies[player])
    new = Strategy(old.treeplex, behavior)
    return ExactResolved(
        method, player, new, _guarantee(blueprint, player, new), _guarantee(blueprint, player, old), kept
    )


def rounded(strategy: Strategy, denominator: int = 1000) -> Strategy:
    """Return an exact strategy near a given one: probabilities are multiples of 1/denominator that sum to one.

    >>> from equiform.games.poker.kuhn import Kuhn
    >>> from equiform.models.compile import compile_rules
    >>> t = compile_rules(Kuhn()).treeplexes[0]
    >>> rounded(Strategy(t, t.uniform()), 3)["holding J, to open"]
    {'check': Fraction(2, 3), 'bet': Fraction(1, 3)}
    """
    t, floats = strategy.treeplex, strategy.floats
    units = np.floor(floats * denominator + 1e-9).astype(np.int64)
    missing = denominator - np.add.reduceat(units, t.start[:-1])
    largest = [int(s + np.argmax(floats[s:e])) for s, e in zip(t.start[:-1], t.start[1:], strict=True)]
    units[largest] += missing
    exact = np.array([Fraction(int(u), denominator) for u in units], dtype=object)
    exact[0] = Fraction(1)
    return Strategy(t, exact)


def _guarantee(blueprint: Blueprint, player: int, strategy: Strategy) -> Fraction:
    gradient = exact_gradient(blueprint.form, 1 - player, exact_plan(strategy))
    return -exact_best_value(blueprint.form.treeplexes[1 - player], gradient)
