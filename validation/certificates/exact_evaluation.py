r"""The exact worth of a profile of Fractions: expected payoffs, best responses, nash_conv.

This is the exact counterpart of :mod:`equiform.models.evaluation`, for any number of players. Realization plans are
integers over one denominator, so a player's gradient is a sum of integer products over the leaves (or an integer matrix
product where the game is only a payoff matrix), and the best response is one backward pass over the treeplex in
Python's integers. Nothing here knows about linear programs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from equiform.models.common.errors import StrategyError
from equiform.models.common.integer_matrix import IntegerMatrix
from equiform.models.common.rational import common_denominator, exact_text, repr_of_fields
from equiform.models.common.rational_vector import RationalVector, as_object, dot, integer_array, nearest_float
from equiform.models.extensive import ExtensiveGame
from equiform.models.game import Game
from equiform.models.normal_form import NormalForm
from equiform.models.payoffs.matrix import MatrixPayoff
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex
from equiform.validation.certificates.certificate import Certificate, witness_of


@dataclass(frozen=True)
class ExactEvaluation:
    """Every player's expected payoff and best-response value, as Fractions."""

    payoffs: tuple[Fraction, ...]
    best_responses: tuple[Fraction, ...]

    __repr__ = repr_of_fields

    @property
    def regrets(self) -> tuple[Fraction, ...]:
        """What each player would gain from a best response."""
        return tuple(b - p for b, p in zip(self.best_responses, self.payoffs, strict=True))

    @property
    def nash_conv(self) -> Fraction:
        """Sum of the regrets."""
        return sum(self.regrets, Fraction(0))

    @property
    def exploitability(self) -> Fraction:
        """The mean regret per player."""
        return self.nash_conv / len(self.payoffs)


def exact_evaluate(game: Game, strategies: Sequence[Strategy]) -> ExactEvaluation:
    """Evaluate a profile of exact behavioural strategies: on the tree, on the table, or by the payoff matrix.

    Parameters
    ----------
    game
        A game tree, a game in normal form or a sequence form.
    strategies
        One strategy per player, with Fractions for probabilities.

    Returns
    -------
    ExactEvaluation
        Payoffs and best-response values as Fractions.

    Raises
    ------
    StrategyError
        If there is not one strategy per player, or one of them does not fit the game or is not exact.
    """
    if len(strategies) != len(game.treeplexes):
        raise StrategyError(
            f"{len(strategies)} strategies for {len(game.treeplexes)} players",
            where=game.name,
            fix="pass one per player",
        )
    for strategy, treeplex in zip(strategies, game.treeplexes, strict=True):
        if strategy.treeplex.num_sequences != treeplex.num_sequences:
            raise StrategyError(
                f"a strategy of {strategy.treeplex.num_sequences} sequences does not fit",
                where=f"{treeplex.player} has {treeplex.num_sequences} in {game.name}",
                fix="use a strategy of this game",
            )
    return evaluate_plans(game, [exact_plan(s) for s in strategies])


def exact_nash_conv(game: Game, strategies: Sequence[Strategy]) -> Fraction:
    """Return the sum of what the players could gain against a profile of Fractions; zero only at an equilibrium.

    Parameters and errors are those of :func:`exact_evaluate`.

    >>> pennies = NormalForm.from_matrix("pennies", "HT", "HT", [[1, -1], [-1, 1]])
    >>> half, third = Fraction(1, 2), Fraction(1, 3)
    >>> row, column = pennies.treeplexes
    >>> fair = Strategy(row, np.array([Fraction(1), half, half]))
    >>> biased = Strategy(column, np.array([Fraction(1), third, 1 - third]))
    >>> print(exact_nash_conv(pennies, [fair, biased]))
    1/3
    """
    return exact_evaluate(game, strategies).nash_conv


def exact_certificate(game: Game, evaluation: ExactEvaluation) -> Certificate:
    """Return an exact evaluation as a certificate; payoffs and regrets are rounded once, at the end."""
    return Certificate(
        game=game.name,
        witness=witness_of(game),
        payoffs=tuple(map(nearest_float, evaluation.payoffs)),
        best_responses=tuple(map(nearest_float, evaluation.best_responses)),
        regrets=tuple(map(nearest_float, evaluation.regrets)),
        residuals=(0.0,) * len(evaluation.payoffs),
        zero_sum=isinstance(game, SequenceForm) or game.is_zero_sum,
        spread=nearest_float(exact_spread(game)),
    )


def exact_spread(game: Game) -> Fraction:
    """Return how far apart the payoffs of a player can lie, exactly; of a payoff matrix, of its entries."""
    if isinstance(game, SequenceForm):
        payoff = game.matrix_payoff
        entries = [*map(int, payoff.numerators), 0]
        return Fraction(max(entries) - min(entries), payoff.denominator)
    table = np.array(game.payoff_table, dtype=object).T if isinstance(game, ExtensiveGame) else game.payoffs
    return max(max(own) - min(own) for own in table.reshape(len(game.players), -1).tolist())


def exact_plan(strategy: Strategy) -> RationalVector:
    """Return the realization plan of a behavioural strategy, which must be exact and sum to exactly one."""
    t = strategy.treeplex
    if not strategy.is_exact:
        raise StrategyError(
            "the strategy is not exact: it holds floats",
            where=t.player,
            fix='write probabilities as fractions "p/q"',
        )
    behavior, start, parent = strategy.probabilities.tolist(), t.start.tolist(), t.parent.tolist()
    plan = [Fraction(1)] * len(behavior)
    for h, above in enumerate(parent):
        own = behavior[start[h] : start[h + 1]]
        if sum(own) != 1 or min(own) < 0:
            raise StrategyError(
                f"the probabilities {', '.join(map(exact_text, own[:8]))} are not a distribution",
                where=f"{t.player}, {t.infoset_label(h)}",
                fix="use nonnegative fractions that sum to exactly one",
            )
        plan[start[h] : start[h + 1]] = [plan[above] * p for p in own]
    return RationalVector.of(plan)


def check_flow(treeplex: Treeplex, plan: RationalVector) -> None:
    """Raise a StrategyError unless the plan satisfies ``E x = e, x ≥ 0`` exactly."""
    if flow_residual(treeplex, plan).numerators.any() or (plan.numerators < 0).any():
        raise StrategyError("not a realization plan: its flow equations do not hold exactly", where=treeplex.player)


def flow_residual(treeplex: Treeplex, plan: RationalVector, *, start: int = 1) -> RationalVector:
    """Return ``E x − start · e``: zero for a plan that starts with weight ``start``."""
    flow = IntegerMatrix(sp.csr_array(treeplex.E.astype(np.int64))).times(plan.numerators)
    flow[0] -= start * plan.denominator
    return RationalVector(flow, plan.denominator)


def exact_best_value(treeplex: Treeplex, gradient: RationalVector) -> Fraction:
    """Maximise ``gradient @ x`` over realization plans, in integers."""
    return Fraction(int(best_values(treeplex, gradient).numerators[0]), gradient.denominator)


def best_values(treeplex: Treeplex, gradient: RationalVector) -> RationalVector:
    """Return what a unit of arriving weight is worth: at the root, then at each information set."""
    value, start = gradient.numerators.tolist(), treeplex.start.tolist()
    best = [0] * treeplex.num_infosets
    for h, above in zip(range(treeplex.num_infosets - 1, -1, -1), treeplex.parent[::-1].tolist(), strict=True):
        best[h] = max(value[start[h] : start[h + 1]])
        value[above] += best[h]
    return RationalVector(integer_array([value[0], *best]), gradient.denominator)


def evaluate_plans(game: Game, plans: Sequence[RationalVector]) -> ExactEvaluation:
    """Evaluate realization plans that satisfy their flow equations."""
    payoffs, best = [], []
    for player, (treeplex, plan) in enumerate(zip(game.treeplexes, plans, strict=True)):
        gradient = _gradient(game, plans, player)
        payoffs.append(dot(gradient, plan))
        best.append(exact_best_value(treeplex, gradient))
    return ExactEvaluation(tuple(payoffs), tuple(best))


def _gradient(game: Game, plans: Sequence[RationalVector], player: int) -> RationalVector:
    """Return what each sequence of a player earns against the others, per unit of its own weight."""
    if isinstance(game, ExtensiveGame):
        return _tree_gradient(game, plans, player)
    if isinstance(game, NormalForm):
        return _table_gradient(game, plans, player)
    return exact_gradient(game, player, plans[1 - player])


def exact_gradient(game: SequenceForm, player: int, plan: RationalVector) -> RationalVector:
    """Return what each sequence of a player earns against a plan of the opponent, by the payoff matrix."""
    matrix, denominator = payoff_matrix(game.matrix_payoff), game.matrix_payoff.denominator
    product = matrix.times(plan.numerators) if player == 0 else -matrix.T.times(plan.numerators)
    return RationalVector(product, denominator * plan.denominator)


def payoff_matrix(payoff: MatrixPayoff) -> IntegerMatrix:
    """Return the numerators of a payoff matrix."""
    return IntegerMatrix.from_coo(payoff.shape, payoff.rows, payoff.cols, payoff.numerators)


def _tree_gradient(game: ExtensiveGame, plans: Sequence[RationalVector], player: int) -> RationalVector:
    leaves = game.terminals
    reach_index, reach_values = game.chance_reach
    reach, reach_denominator = _common(reach_values)
    payoffs, payoff_denominator = _common([row[player] for row in game.payoff_table])
    earned = reach[reach_index[leaves]] * payoffs[game.outcome[leaves]]
    denominator = reach_denominator * payoff_denominator
    for other, plan in enumerate(plans):
        if other != player:
            earned = earned * as_object(plan.numerators)[game.sequences[other, leaves]]
            denominator *= plan.denominator
    own = game.sequences[player, leaves]
    order = np.argsort(own, kind="stable")
    at, first = np.unique(own[order], return_index=True)
    gradient = np.zeros(game.num_sequences(player), dtype=object)
    gradient[at] = np.add.reduceat(earned[order], first)
    return RationalVector(gradient, denominator)


def _table_gradient(game: NormalForm, plans: Sequence[RationalVector], player: int) -> RationalVector:
    """Contract the payoff table with every other player's mixed strategy, last axis first."""
    integers, denominator = _common(game.payoffs[player].ravel().tolist())
    values = integers.reshape(game.payoffs[player].shape)
    for other in range(len(plans) - 1, -1, -1):
        if other != player:
            values = np.tensordot(values, as_object(plans[other].numerators)[1:], axes=(other, 0))
            denominator *= plans[other].denominator
    gradient = np.zeros(len(values) + 1, dtype=object)
    gradient[1:] = values
    return RationalVector(gradient, denominator)


def _common(values: Sequence[Fraction]) -> tuple[NDArray[Any], int]:
    denominator = common_denominator(values)
    return as_object(integer_array([v.numerator * (denominator // v.denominator) for v in values])), denominator
