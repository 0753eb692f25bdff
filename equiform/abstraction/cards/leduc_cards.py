r"""The five card abstractions of Leduc hold'em, and what their equilibria are worth in the full game.

K. Waugh et al., *Abstraction pathologies in extensive games*, AAMAS 2009; S. Ganzfried, PhD thesis (CMU 2015), §8.5.
Groups of ranks separated by dots cannot be told apart before the public card; after it a player still knows the group
and sees only whether the private card pairs. ``full`` means no abstraction. A strategy ``A-B`` is what a player with
abstraction A learns who assumes that the opponent has B: an equilibrium of the game in which they do.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from equiform.abstraction.information_abstraction import InformationAbstraction, abstract_information
from equiform.formulations.blocks import plan_values
from equiform.formulations.opponents import safe_response
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.result import Result
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.poker.leduc import Leduc
from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.compile import compile_rules
from equiform.models.evaluation import best_response, expected_payoffs
from equiform.models.extensive import ExtensiveGame
from equiform.models.sequence_form import sequence_form

ABSTRACTIONS = ("JQK", "JQ.K", "J.QK", "J.Q.K", "full")
#: A small bet is two chips, so a chip is 500 millibets.
MILLIBETS = 500.0
_SLACK = 1e-9  # the value of an abstract game is known to a solver's rounding only


def card_view(name: str, key: tuple[int, int, str]) -> Hashable:
    """Return what an abstraction leaves of a Leduc information set (private rank, public rank or -1, betting).

    >>> card_view("JQ.K", (1, -1, "")), card_view("JQ.K", (1, 2, "check–check/"))
    ((0, False, ''), (0, False, 'check–check/'))
    """
    if require_name(name, ABSTRACTIONS, "abstraction", "Leduc") == "full":
        return key
    card, board, history = _leduc_key(key)
    group = next(k for k, ranks in enumerate(name.split(".")) if "JQK"[card] in ranks)
    return group, card == board, history


def _leduc_key(key: tuple[int, int, str]) -> tuple[int, int, str]:
    """Check a key: ranks count from 0, and -1 means that there is no public card yet."""
    if not isinstance(key, tuple) or len(key) != 3 or key[0] not in (0, 1, 2) or key[1] not in (-1, 0, 1, 2):
        raise ParameterError(
            f"{key!r} is not an information set of Leduc"[:200],
            where="card view",
            fix="pass (private rank 0 to 2, public rank or -1, betting)",
        )
    return key


@dataclass(frozen=True, eq=False)
class AbstractEquilibrium:
    """The strategies of one abstraction against the other, lifted, and their worth averaged over both seats."""

    own: str
    assumed: str
    behaviors: tuple[FloatArray, FloatArray] = field(repr=False)
    """In the full game: what the player plays in the first and in the second seat."""
    exploitability: float
    """What a best responder wins beyond the value of the game, in chips per hand, averaged over both seats."""
    against_equilibrium: float
    """Gain against an equilibrium strategy, in chips per hand, averaged over both seats; never above 0."""

    @property
    def name(self) -> str:
        """As in thesis Table 8.2."""
        return f"{self.own}-{self.assumed}"


def leduc_abstraction(first: str, second: str, game: ExtensiveGame | None = None) -> InformationAbstraction:
    """Build Leduc in which player 1 has the first and player 2 the second abstraction; players never forget."""
    names = tuple(require_name(name, ABSTRACTIONS, "abstraction", "Leduc") for name in (first, second))

    def view(player: int, key: Any) -> Hashable:
        return card_view(names[player], key)

    full = compile_rules(Leduc()) if game is None else game
    return abstract_information(full, view, name=f"leduc {first}-{second}")


@cache
def _leduc() -> tuple[ExtensiveGame, Result]:
    game = compile_rules(Leduc())
    return game, sequence_form_lp.solve(sequence_form(game)).require_optimal()


def _behaviors(result: Result) -> tuple[FloatArray, FloatArray]:
    first, second = (strategy.floats for strategy in result.strategies if strategy is not None)
    return first, second


def abstract_equilibrium(own: str, assumed: str) -> AbstractEquilibrium:
    """Solve both seatings of a pair of abstractions by linear programming and measure the player's strategies.

    >>> found = abstract_equilibrium("J.Q.K", "J.Q.K")
    >>> found.exploitability > 0 > found.against_equilibrium
    True
    """
    for name in (own, assumed):
        require_name(name, ABSTRACTIONS, "abstraction", "Leduc")
    game, equilibrium = _leduc()
    value = equilibrium.value
    opponents = _behaviors(equilibrium)
    played: list[FloatArray] = []
    exploitability = gain = 0.0
    for seat in (0, 1):
        pair = (own, assumed) if seat == 0 else (assumed, own)
        abstraction = leduc_abstraction(*pair, game)
        result = sequence_form_lp.solve(abstraction.sequence_form, player=seat).require_optimal()
        lifted = abstraction.lift(seat, _behaviors(result)[seat])
        profile = [lifted, opponents[1]] if seat == 0 else [opponents[0], lifted]
        fair = value if seat == 0 else -value
        gain += 0.5 * float(expected_payoffs(game, profile)[seat])
        exploitability += 0.5 * (fair + best_response(game, profile, 1 - seat).value)
        played.append(lifted)
    return AbstractEquilibrium(own, assumed, (played[0], played[1]), exploitability, gain)


@dataclass(frozen=True)
class GainRange:
    """What abstract equilibria earn against one equilibrium strategy of the full game: all from ``low`` to ``high``."""

    low: float
    high: float


def attainable_gains(own: str, assumed: str) -> GainRange:
    """Return the range of gains of a pair's abstract equilibria against (our) equilibrium strategies.

    Abstract equilibria are many and form a convex set; the solver returns one. What a plan of the set earns against a
    fixed opponent is linear, so that the ends of the range are two linear programs per seat.
    """
    for name in (own, assumed):
        require_name(name, ABSTRACTIONS, "abstraction", "Leduc")
    game, equilibrium = _leduc()
    form = sequence_form(game)
    plans = [t.realization(b) for t, b in zip(game.treeplexes, _behaviors(equilibrium), strict=True)]
    ends = {1.0: 0.0, -1.0: 0.0}
    for seat in (0, 1):
        abstraction = leduc_abstraction(*((own, assumed) if seat == 0 else (assumed, own)), game)
        size = abstraction.abstract.num_sequences(seat)
        gradient = form.gradient(seat, plans[1 - seat])
        worth = np.bincount(abstraction.sequences(seat), gradient, size).astype(np.float64)
        value = sequence_form_lp.solve(abstraction.sequence_form, player=seat).require_optimal().value
        floor = (value if seat == 0 else -value) - _SLACK
        for sign in ends:
            model = safe_response.build(abstraction.sequence_form, sign * worth, floor=floor, player=seat)
            ends[sign] += 0.5 * float(worth @ plan_values(solve_model(model).require_optimal(), model.plan))
    return GainRange(ends[-1.0], ends[1.0])


def abstract_equilibria() -> tuple[AbstractEquilibrium, ...]:
    """Return the 24 pairs of §8.5: all but full against full."""
    pairs = [pair for pair in product(ABSTRACTIONS, repeat=2) if pair != ("full", "full")]
    return tuple(abstract_equilibrium(*pair) for pair in pairs)
