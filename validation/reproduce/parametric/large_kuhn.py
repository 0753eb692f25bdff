r"""Figures 11.1 and 11.2 of Ganzfried (2015): large finite Kuhn poker by the infinite game, and by abstraction.

:math:`G_n` is Kuhn poker with n cards, :math:`G_\infty` the game on the unit interval, whose equilibrium the parametric
program finds. Its projection to n cards is played against its nemesis. The thesis does not say how a card whose cell
:math:`[(j-1)/n, j/n]` is cut by a threshold is played. All five printed payoffs are reproduced if such a card bets
when its cell meets a betting region, else folds to a bet when its cell meets that region, else calls, with regions
closed above (Definition 24: "at a boundary the lower region's action is taken"). Splitting the card by overlap
(§11.6.2) instead loses next to nothing.

For Figure 11.2 k equal buckets of the 250 cards are solved as the deck of :math:`G_k`, and player 1's part is played
by every card of a bucket. :math:`G_k` has many equilibria; the payoff depends on which one a solver returns, so a row
lists the best of them (a linear program), the worst that alternating responses find, and the central one (interior
point without crossover).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

import numpy as np
import scipy.sparse as sp

from equiform.formulations.optimization.backends import solve_program
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.program import Program
from equiform.formulations.parametric import milfp
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.poker.signal_games import kuhn_model, kuhn_signals
from equiform.models import SequenceForm, compile_rules, sequence_form
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.signals.deals import bucketed
from equiform.models.signals.evaluation import evaluate_signals
from equiform.models.signals.extensive import BettingRules
from equiform.models.signals.signal_game import SignalGame
from equiform.models.signals.threshold_profile import ThresholdProfile
from equiform.models.treeplex import Treeplex
from equiform.validation.reproduce.cell import rounds_to

PRINTED_VALUES = {50: -0.0576, 100: -0.0566, 150: -0.0563, 200: -0.0561, 250: -0.0560}
PRINTED_PROJECTIONS = {50: -0.0624, 100: -0.0612, 150: -0.0579, 200: -0.0583, 250: -0.0560}
PRINTED_BUCKETS = {2: -0.2305, 5: -0.0667, 10: -0.0593, 25: -0.0569, 50: -0.0562, 125: -0.0560}


@dataclass(frozen=True)
class ProjectionRow:
    """One column of Figure 11.1: the value, and the worst-case payoff of the projected strategy in two ways."""

    cards: int
    value: float
    projected: float
    """Cards cut by a threshold are not split: they bet if they can, else fold, else call."""
    split: float
    """Cards cut by a threshold mix by overlap."""
    printed_value: float | None
    printed_projection: float | None


@dataclass(frozen=True)
class BucketRow:
    """One column of Figure 11.2: worst-case payoffs of player 1 over the equilibria of the abstraction."""

    buckets: int
    worst: float
    best: float
    central: float
    printed: float | None
    ends: tuple[FloatArray, FloatArray] = field(repr=False, compare=False)
    """The plans, in the full game, of the worst and the best equilibrium that were found."""
    form: SequenceForm = field(repr=False, compare=False)

    def attains(self, printed: str) -> FloatArray | None:
        """Return an equilibrium between the two ends whose worst case rounds to a printed payoff, if there is one."""
        bottom, top = 0.0, 1.0
        for _ in range(60):
            middle = 0.5 * (bottom + top)
            plan = (1 - middle) * self.ends[0] + middle * self.ends[1]
            payoff = -self.form.best_response(1, plan).value
            if rounds_to(payoff, printed):
                return plan
            bottom, top = (middle, top) if payoff < float(printed) else (bottom, middle)
        return None


def figure_11_1(sizes: tuple[int, ...] = (50, 100, 150, 200, 250)) -> list[ProjectionRow]:
    """Compute the value of each game and the payoff of the projected infinite equilibrium against its nemesis."""
    limit = milfp.solve(kuhn_signals(), kuhn_model()).profile
    rows = []
    for n in sizes:
        game = kuhn_signals(n)
        value = sequence_form_lp.solve(_betting_form(game)).value
        split = ThresholdProfile(game, limit.model, limit.positions * n).strategies[0]
        rows.append(
            ProjectionRow(
                n,
                value,
                _worst_case(game, whole_cards(game, limit)),
                _worst_case(game, split),
                PRINTED_VALUES.get(n),
                PRINTED_PROJECTIONS.get(n),
            )
        )
    return rows


def whole_cards(game: SignalGame, limit: ThresholdProfile) -> FloatArray:
    """Project player 1's strategy without splitting cards: a cell that is cut plays BET, else CHECK-FOLD, if it can."""
    n = game.signals.num_cells
    bounds = np.concatenate([[-1.0], limit.positions[: len(limit.model.thresholds[0])] * n, [float(n)]])
    cells = np.arange(n)
    matrix = np.zeros((n, len(game.plans[0])))
    played = np.full(n, -1)
    for wanted in ("BET", "CHECK-FOLD", "CHECK-CALL"):
        for plan, low, high in zip(limit.model.regions[0], bounds, bounds[1:], strict=False):
            if plan == wanted:  # the region (low, high] meets the closed cell [j - 1, j]
                meets = (cells + 1 > low + 1e-9) & (cells <= high + 1e-9)
                played[meets & (played < 0)] = game.plan_index(0, plan)
    matrix[cells, played] = 1.0
    return matrix


def figure_11_2(
    buckets: tuple[int, ...] = (2, 5, 10, 25, 50, 125), *, cards: int = 250, starts: int = 12, joint: bool = False
) -> list[BucketRow]:
    """Compute what equilibria of bucketed games are worth in the full game against a nemesis.

    ``joint`` solves the buckets with the probabilities that pairs of them really have (two cards may share a bucket),
    instead of as a deck of k cards.
    """
    full = kuhn_signals(cards)
    form = _betting_form(full)
    rows = []
    for k in buckets:
        if cards % k:
            raise ParameterError(f"{k} buckets do not divide {cards} cards", fix="use a divisor")
        abstraction = kuhn_signals(signals=bucketed(full.signals, [cards // k] * k)) if joint else kuhn_signals(k)
        face = _EquilibriumFace(form, abstraction, cards // k)
        printed = PRINTED_BUCKETS.get(k) if cards == 250 else None
        (worst, low), (best, high) = face.worst(starts), face.best()
        rows.append(BucketRow(k, worst, best, face.central(), printed, (low, high), form))
    return rows


def _betting_form(game: SignalGame) -> SequenceForm:
    return sequence_form(compile_rules(BettingRules(game)))


def _worst_case(game: SignalGame, first: FloatArray) -> float:
    """Return player 1's payoff against a best response."""
    anything = np.zeros((game.signals.num_cells, len(game.plans[1])))
    anything[:, 0] = 1.0
    return -float(evaluate_signals(game, [first, anything]).best_responses[1])


class _EquilibriumFace:
    """Player 1's equilibrium strategies of an abstraction, lifted into the full game."""

    def __init__(self, full: SequenceForm, abstraction: SignalGame, size: int) -> None:
        self.full = full
        self.small = _betting_form(abstraction)
        self.lift = _lift(full.treeplexes[0], self.small.treeplexes[0], size)
        self.solved = sequence_form_lp.solve(self.small)

    def _program(self, objective: FloatArray, extra: int = 0) -> Program:
        """Constrain x to be optimal in the abstraction; ``extra`` appends the full game's guarantee to the columns."""
        small, full = self.small, self.full
        n, q = small.treeplexes[0].num_sequences, small.treeplexes[1].num_infosets + 1
        flow = sp.hstack([small.E, sp.csr_array((small.E.shape[0], q + extra))])
        respond = sp.hstack([small.A.T, -small.F.T, sp.csr_array((small.A.shape[1], extra))])
        blocks, lower, upper = [flow, respond], [small.e, np.zeros(respond.shape[0])], [small.e]
        upper.append(np.full(respond.shape[0], np.inf))
        if extra:
            nemesis = sp.hstack([full.A.T @ self.lift, sp.csr_array((full.A.shape[1], q)), -full.F.T])
            blocks.append(nemesis)
            lower.append(np.zeros(nemesis.shape[0]))
            upper.append(np.full(nemesis.shape[0], np.inf))
        column_lower = np.concatenate([np.zeros(n), np.full(q + extra, -np.inf)])
        column_lower[n] = self.solved.value - 1e-10
        return Program.from_arrays(
            objective,
            sp.vstack(blocks),
            row_lower=np.concatenate(lower),
            row_upper=np.concatenate(upper),
            col_lower=column_lower,
            maximize=True,
        )

    def best(self) -> tuple[float, FloatArray]:
        """Maximise the guarantee in the full game over the abstraction's equilibria."""
        n, q = self.small.treeplexes[0].num_sequences, self.small.treeplexes[1].num_infosets + 1
        extra = self.full.treeplexes[1].num_infosets + 1
        objective = np.zeros(n + q + extra)
        objective[n + q] = 1.0
        found = solve_program(self._program(objective, extra)).require_optimal()
        plan = self.lift @ np.asarray(found.x)[:n]
        return -self.full.best_response(1, plan).value, plan

    def worst(self, starts: int, seed: int = 0) -> tuple[float, FloatArray]:
        """Alternate between the nemesis and the equilibrium that suits it best, from several starts: an upper bound."""
        rng = np.random.default_rng(seed)
        n = self.small.treeplexes[0].num_sequences
        q = self.small.treeplexes[1].num_infosets + 1
        nemesis = self.full.treeplexes[1]
        lowest, lowest_plan = np.inf, np.empty(0)
        for _ in range(starts):
            plan = nemesis.realization(nemesis.behavior(rng.random(nemesis.num_sequences) ** 4))
            last, reached = np.inf, np.empty(0)
            while True:
                against = -(self.lift.T @ (self.full.A @ plan))
                program = self._program(np.concatenate([against, np.zeros(q)]))
                found = solve_program(program, symmetry=False).require_optimal()  # a vertex: averages are not better
                chosen = np.zeros(n) if found.x is None else found.x[:n]
                response = self.full.best_response(1, self.lift @ chosen)
                plan = response.plan
                if -response.value > last - 1e-9:
                    break
                last, reached = -response.value, self.lift @ chosen
            if last < lowest:
                lowest, lowest_plan = last, reached
        return float(lowest), lowest_plan

    def central(self) -> float:
        """Take the interior-point solution without crossover to a vertex; it is optimal to the solver's tolerance."""
        found = sequence_form_lp.solve(
            self.small, solver=SolverOptions(algorithm="ipm", options={"run_crossover": "off"})
        )
        treeplex = self.small.treeplexes[0]
        plan = treeplex.realization(treeplex.behavior(np.asarray(found.plans[0])))  # clipped and renormalised
        return -self.full.best_response(1, self.lift @ plan).value


def _lift(full: Treeplex, small: Treeplex, size: int) -> sp.csr_array:
    """Let every card of a bucket play the bucket's sequences."""
    number = {key: h for h, key in enumerate(small.infosets)}
    columns = np.zeros(full.num_sequences, dtype=np.int64)
    for h in range(full.num_infosets):
        card, history = cast("tuple[int, tuple[str, ...]]", full.infosets[h])
        first = int(small.start[number[(card // size, history)]])
        width = int(full.start[h + 1] - full.start[h])
        columns[full.start[h] : full.start[h + 1]] = np.arange(first, first + width)
    rows = np.arange(full.num_sequences)
    return sp.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(rows), small.num_sequences))
