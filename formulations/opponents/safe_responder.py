r"""Repeated ε-safe best responses: one program, built once and solved again from its last basis.

An agent that risks what it has won needs a safe best response every hand (Ganzfried 2015, Algorithms 22–27). The
opponent's strategy changes only the costs of :mod:`equiform.formulations.opponents.safe_response`, ε only one bound,
and the matrix stays the same. A few simplex steps from the last optimum then replace building, compiling, loading and
solving. Small games are solved on a dense tableau (:mod:`equiform.formulations.optimization.tableau`), larger ones by
HiGHS.

Often several responses earn the same but guarantee different amounts: against an equilibrium strategy, everything in
the support of another is a best response. A small weight on the guarantee :math:`q_0` in the objective (*caution*) then
picks one that guarantees the most.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equiform.formulations.opponents import safe_response
from equiform.formulations.optimization.backends.reuse import ReusableProgram
from equiform.formulations.optimization.compiling.compiler import compile_model
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.scaling import unit_of
from equiform.formulations.optimization.solution import Basis, BasisStatus
from equiform.formulations.optimization.tableau import Tableau
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.formulations.zero_sum.sequence_form_lp import for_player
from equiform.models.common.arguments import require_name, require_number
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError, SolveError
from equiform.models.common.records import Record
from equiform.models.sequence_form import SequenceForm

logger = logging.getLogger(__name__)

ENGINES = ("auto", "tableau", "highs")

#: Programs with at most this many rows are solved on a dense tableau.
MAX_TABLEAU_ROWS = 100


@dataclass(frozen=True, eq=False)
class SafeResponse(Record):
    """A plan that earns the most against a given opponent while guaranteeing the value minus ε."""

    epsilon: float
    payoff: float
    """The player's own payoff against the opponent it responds to."""
    slope: float
    """How much a little more ε would add to the payoff, per unit of ε (at a kink: one of the possible answers)."""
    plan: FloatArray = field(repr=False)


@dataclass(frozen=True, eq=False)
class SafeResponses:
    """Many safe responses: one row or entry each."""

    payoffs: FloatArray
    slopes: FloatArray
    plans: FloatArray = field(repr=False)


class SafeResponder:
    """Safe best responses of one player in one game.

    >>> import numpy as np
    >>> from equiform.models.normal_form import NormalForm
    >>> rps = NormalForm.from_matrix("rps", "RPS", "RPS", [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]).sequence_form()
    >>> responder = SafeResponder(rps)
    >>> rock = np.array([1.0, 1.0, 0.0, 0.0])
    >>> [round(responder.respond(rock, epsilon).payoff, 6) for epsilon in (0.0, 0.5, 1.0)]
    [0.0, 0.75, 1.0]
    >>> mixed = np.full(4, 1 / 3)  # all responses are equally good: the cautious one risks nothing
    >>> SafeResponder(rps, caution=1e-6).respond(mixed, 1.0).plan[1:].round(6).tolist()
    [0.333333, 0.333333, 0.333333]
    """

    def __init__(
        self,
        game: SequenceForm,
        *,
        player: int = 0,
        engine: str = "auto",
        caution: float = 0.0,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Find the game's value and load the program.

        Parameters
        ----------
        game
            A two-player zero-sum game in sequence form.
        player
            The player who responds, 0 or 1.
        engine
            ``tableau``, ``highs``, or ``auto`` to choose by the size of the program.
        caution
            What a unit of guarantee is worth in units of payoff: tiny, to break ties. Slopes are then accurate only
            to within it.
        options
            Options of HiGHS.
        """
        require_name(engine, ENGINES, "engine", "safe responses")
        nash = sequence_form_lp.solve(game, player=player, solver=SolverOptions(algorithm="simplex"))
        self.game, self.player = game, player
        self._caution = require_number(caution, "caution", "safe responses")
        self.value = nash.value if player == 0 else -nash.value
        """The game's value for the player."""
        # prices as small as the caution must be respected
        self._options = {"dual_feasibility_tolerance": 1e-10, **(options or {})} if self._caution else options
        self._size = game.treeplexes[player].num_sequences
        self._reusable: ReusableProgram | None = None
        self._first_tableau: Tableau | None = None
        seat = for_player(game, player)
        self._unit = unit_of(seat.payoff_size)
        rows = seat.treeplexes[0].num_infosets + 1 + seat.treeplexes[1].num_sequences
        if engine == "tableau" or (engine == "auto" and rows <= MAX_TABLEAU_ROWS):
            self._first_tableau = _tableau(seat, nash.solution.basis, self._unit)
        self._tableau = self._first_tableau

    @property
    def engine(self) -> str:
        """What solves the programs: ``tableau`` or ``highs``."""
        return "highs" if self._tableau is None else "tableau"

    def forget(self) -> None:
        """Forget the last basis: what comes next is answered as by a new responder, bit for bit."""
        self._tableau = self._first_tableau
        if self._tableau is not None:
            self._tableau.restart()
        if self._reusable is not None:
            self._reusable.forget()

    def respond(self, opponent_plan: FloatArray, epsilon: float = 0.0) -> SafeResponse:
        """Respond to a realization plan of the opponent, risking at most ``epsilon``."""
        return self.maximize(self.game.gradient(self.player, opponent_plan), epsilon)

    def maximize(self, gradient: FloatArray, epsilon: float = 0.0) -> SafeResponse:
        """Maximise ``gradient @ x`` over the plans whose guarantee is within ``epsilon`` of the value."""
        self.game.treeplexes[self.player].require_vector(gradient)
        epsilon = require_number(epsilon, "epsilon", f"safe response in {self.game.name}")
        found = self.maximize_many(gradient[None, :], np.array([epsilon]))
        return SafeResponse(epsilon, float(found.payoffs[0]), float(found.slopes[0]), found.plans[0])

    def maximize_many(self, gradients: FloatArray, epsilons: FloatArray) -> SafeResponses:
        """Maximise for each row of ``gradients`` and entry of ``epsilons``."""
        usable = (epsilons >= 0) & (epsilons < np.inf)
        if not usable.all():
            raise ParameterError(
                f"epsilon is {epsilons[~usable][0]:g}",
                where=f"safe response in {self.game.name}",
                fix="use a finite, nonnegative number",
            )
        if gradients.shape != (len(epsilons), self._size):
            raise ParameterError(
                f"cannot respond to {gradients.shape} gradients with {len(epsilons)} epsilons",
                where=f"the player has {self._size} sequences",
                fix="pass one gradient per row and one epsilon for each",
            )
        if self._tableau is not None:
            try:
                return self._by_tableau(self._tableau, gradients, epsilons)
            except SolveError as error:
                logger.warning("%s: %s; continuing with HiGHS", self.game.name, error.what)
                self._tableau = None
        return self._by_highs(gradients, epsilons)

    def _by_tableau(self, tableau: Tableau, gradients: FloatArray, epsilons: FloatArray) -> SafeResponses:
        costs = np.zeros((len(epsilons), tableau.num_variables))
        costs[:, : self._size] = gradients / self._unit
        costs[:, self._size] = self._caution
        answers = tableau.solve(costs, (self.value - epsilons) / self._unit)
        plans = answers.points[:, : self._size]
        return SafeResponses((gradients * plans).sum(axis=1), np.maximum(-answers.slopes, 0.0), plans)

    def _by_highs(self, gradients: FloatArray, epsilons: FloatArray) -> SafeResponses:
        if self._reusable is None:
            model = safe_response.build(self.game, np.zeros(self._size), floor=self.value, player=self.player)
            program = compile_model(model)
            self._reusable = ReusableProgram(program, options=self._options)
            self._x, self._floor = program.columns(model.plan.x), program.columns([model.guarantee.q[0]])
            self._reusable.set_cost(self._floor, np.array([self._caution]))
        plans, slopes = np.zeros(gradients.shape), np.zeros(len(epsilons))
        for k, (gradient, epsilon) in enumerate(zip(gradients, epsilons.tolist(), strict=True)):
            self._reusable.set_cost(self._x, gradient)
            self._reusable.set_col_bounds(self._floor, lower=self.value - epsilon)
            solution = self._reusable.solve().require_optimal()
            if solution.x is not None:
                plans[k] = solution.x[self._x]
            if solution.reduced_costs is not None:
                slopes[k] = -solution.reduced_costs[self._floor[0]]
        return SafeResponses((gradients * plans).sum(axis=1), np.maximum(slopes, 0.0), plans)


def _tableau(seat: SequenceForm, basis: Basis | None, unit: float) -> Tableau | None:
    """Write the program in equations, with slacks and :math:`q_0` counted from the floor; start from the Nash basis."""
    first, second = seat.treeplexes
    n, m, k = first.num_sequences, first.num_infosets + 1, second.num_infosets + 1
    slacks = second.num_sequences
    if basis is None:
        return None
    basic = np.concatenate(
        [
            np.flatnonzero(basis.columns == BasisStatus.BASIC),
            n + k + np.flatnonzero(basis.rows[m:] == BasisStatus.BASIC),
        ]
    )
    free = np.zeros(n + k + slacks, dtype=bool)
    free[n + 1 : n + k] = True
    if len(basic) != m + slacks or free[basic].sum() != k - 1:
        return None  # a redundant row or an idle price: left to the general solver
    matrix = np.zeros((m + slacks, n + k + slacks))
    matrix[:m, :n] = first.E.toarray()
    matrix[m:, :n] = seat.matrix_payoff.transpose.toarray() / unit
    matrix[m:, n : n + k] = -second.E.T.toarray()
    matrix[m:, n + k :] = -np.eye(slacks)
    start = np.concatenate([first.e, np.zeros(slacks)])
    return Tableau(matrix, start, -np.concatenate([np.zeros(m), matrix[m:, n]]), free, basic)
