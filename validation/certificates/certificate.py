r"""The certificate: what a profile is really worth, by code that shares nothing with the program that found it.

For a game tree the witness is :mod:`equiform.models.evaluation`, which walks the tree and never sees the payoff matrix
from which the linear program was built. For a matrix game it multiplies the original table. Only a game that exists
solely as a payoff operator is evaluated through that operator, and the certificate says so.

In a two-player zero-sum game let :math:`\ell` be what player 1's strategy guarantees and :math:`u` what player 2's
concedes at most. Then :math:`\ell \le v^* \le u` for the true value :math:`v^*`, whatever the solver claims, and
:math:`u - \ell` is the ``nash_conv``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from equiform.models.common.errors import CertificateError, StrategyError
from equiform.models.common.html import html_facts, interval_text
from equiform.models.common.records import Record
from equiform.models.evaluation import evaluate
from equiform.models.extensive import ExtensiveGame
from equiform.models.game import Game, payoff_spread, require_game
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy

#: Relative rounding of payoffs in floats.
ROUNDING = 1e-13
#: How far a strategy's plan may be from a flow.
FLOW = 1e-6


@dataclass(frozen=True)
class Certificate(Record):
    """Payoffs, best-response values and regrets of a profile, one per player, in floats.

    For a profile of Fractions they are computed exactly and rounded at the end
    (:func:`equiform.validation.certificates.exact_evaluation.exact_certificate`).
    """

    game: str
    witness: str
    """Which evaluation was used: ``tree``, ``matrix`` or ``operator``."""
    payoffs: tuple[float, ...]
    best_responses: tuple[float, ...]
    regrets: tuple[float, ...]
    """What each player would gain from a best response."""
    residuals: tuple[float, ...]
    """How far each strategy is from a distribution at its worst information set."""
    zero_sum: bool
    spread: float = 1.0
    """How far apart the payoffs of a player can lie, the scale of the regrets."""

    @property
    def nash_conv(self) -> float:
        """Sum of the regrets."""
        return sum(self.regrets)

    @property
    def exploitability(self) -> float:
        """The mean regret per player."""
        return self.nash_conv / len(self.payoffs)

    @property
    def bracket(self) -> tuple[float, float] | None:
        """An interval that contains the value of a two-player zero-sum game; ``None`` for other games."""
        if not self.zero_sum or len(self.payoffs) != 2:
            return None
        return -self.best_responses[1], self.best_responses[0]

    def allowed(self, tolerance: float, *, absolute: bool = False) -> float:
        """Return the regret that a tolerance allows, in the game's own payoffs.

        A tolerance is a share of the payoffs' spread, unless ``absolute``. Rounding of the payoffs themselves is
        forgiven, except by a tolerance of zero.
        """
        if absolute or tolerance == 0.0:
            return tolerance
        return tolerance * self.spread + ROUNDING * max(map(abs, self.payoffs + self.best_responses))

    def _repr_html_(self) -> str:
        players = range(len(self.payoffs))
        facts = {
            "game": self.game,
            "evaluated on the": self.witness,
            "value in": interval_text(self.bracket),
            **{f"payoff of player {p + 1}": f"{self.payoffs[p]:.9g}" for p in players},
            **{f"gain of player {p + 1} by a best response": f"{self.regrets[p]:.2g}" for p in players},
            "exploitability": f"{self.exploitability:.2g}",
        }
        return html_facts("Certificate", facts)

    def require(self, tolerance: float = 1e-6, *, absolute: bool = False) -> Certificate:
        """Return the certificate itself, or raise if the profile is not an equilibrium.

        Parameters
        ----------
        tolerance
            What a player may gain, as a share of the payoffs' spread; and how far probabilities may be from summing
            to one.
        absolute
            Whether the tolerance is an amount in the game's own payoffs instead.
        """
        allowed = self.allowed(tolerance, absolute=absolute)
        if not (max(self.regrets) <= allowed and max(self.residuals) <= max(tolerance, FLOW if tolerance else 0.0)):
            raise CertificateError(
                f"the profile is not an equilibrium: a player gains {max(self.regrets):.3g}, "
                f"flow is violated by {max(self.residuals):.3g}",
                where=f"{self.game}, where payoffs are up to {self.spread:.3g} apart and {allowed:.3g} is allowed",
                fix="solve with another backend or algorithm, or exactly (exact=True, --exact)",
            )
        return self


def certify(game: Game, strategies: Sequence[Strategy]) -> Certificate:
    """Evaluate a profile independently of whatever produced it.

    Parameters
    ----------
    game
        A game tree, a game in normal form or a sequence form.
    strategies
        One strategy per player.

    Returns
    -------
    Certificate
        Payoffs, best-response values and regrets.

    Raises
    ------
    StrategyError
        If there is not one strategy per player, or one of them is not a strategy of this game.
    """
    expected = len(require_game(game).treeplexes)
    if len(strategies) != expected:
        raise StrategyError(
            f"{len(strategies)} strategies do not make a profile",
            where=game.name,
            fix=f"pass {expected}, one per player",
        )
    behaviors = [s.floats for s in strategies]
    residuals = []
    for strategy, behavior in zip(strategies, behaviors, strict=True):
        strategy.treeplex.check_behavior(behavior, tolerance=1e-6)
        residuals.append(strategy.treeplex.flow_residual(strategy.plan))
    if isinstance(game, ExtensiveGame):
        evaluation = evaluate(game, behaviors)
        payoffs, best = evaluation.payoffs, evaluation.best_responses
    elif isinstance(game, NormalForm):
        mixed = [b[1:] for b in behaviors]
        payoffs = game.expected_payoffs(mixed)
        best = payoffs + game.regrets(mixed)
    else:
        x, y = (s.plan for s in strategies)
        value = game.value(x, y)
        lower, upper = game.bracket(x, y)
        payoffs, best = np.array([value, -value]), np.array([upper, -lower])
    return Certificate(
        game=game.name,
        witness=witness_of(game),
        payoffs=tuple(payoffs.tolist()),
        best_responses=tuple(best.tolist()),
        regrets=tuple((best - payoffs).tolist()),
        residuals=tuple(residuals),
        zero_sum=isinstance(game, SequenceForm) or game.is_zero_sum,
        spread=payoff_spread(game),
    )


def witness_of(game: Game) -> str:
    """Return the name of what a profile of this game is evaluated on."""
    if isinstance(game, ExtensiveGame):
        return "tree"
    return "matrix" if isinstance(game, NormalForm) else "operator"
