r"""The ε-safe best response again and again: one program, built once, re-solved from its last basis.

An agent that risks what it has won asks for a safe best response every hand (Ganzfried 2015, Algorithms 22–27): the
opponent's strategy changes the costs of :mod:`equiform.formulations.safe_response`, ε one bound, and neither the
matrix. A few simplex steps from the last optimum then replace building, compiling, loading and solving.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equiform.formulations import safe_response, sequence_form_lp
from equiform.formulations.backends.resolve import Resolver
from equiform.formulations.compiler import compile_model
from equiform.models.errors import ParameterError
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import FloatArray


@dataclass(frozen=True, eq=False)
class SafeResponse:
    """A plan that earns the most against a given opponent while guaranteeing the value minus ε."""

    epsilon: float
    payoff: float
    """The player's own payoff against the opponent it responds to."""
    slope: float
    """What a little more ε would add to the payoff, for each unit of ε."""
    plan: FloatArray = field(repr=False)


class SafeResponder:
    """Safe best responses of one player in one game.

    >>> import numpy as np
    >>> from equiform.models.normal_form import NormalForm
    >>> rps = NormalForm.from_matrix("rps", "RPS", "RPS", [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]).sequence_form()
    >>> responder = SafeResponder(rps)
    >>> rock = np.array([1.0, 1.0, 0.0, 0.0])
    >>> [round(responder.respond(rock, epsilon).payoff, 6) for epsilon in (0.0, 0.5, 1.0)]
    [0.0, 0.5, 1.0]
    """

    def __init__(
        self,
        game: SequenceForm,
        *,
        player: int = 0,
        value: float | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Build and load the program; ``value`` (player 0's) is computed unless given, ``options`` are HiGHS's."""
        if value is None:
            value = sequence_form_lp.solve(game, player=player).require_optimal().value
        self.game, self.player = game, player
        self.value = value if player == 0 else -value
        """The game's value for the player."""
        treeplex = game.treeplexes[player]
        model = safe_response.build(game, np.zeros(treeplex.num_sequences), floor=self.value, player=player)
        program = compile_model(model)
        self._resolver = Resolver(program, options=options)
        self._x = program.columns(model.plan.x)
        self._floor = program.columns([model.guarantee.q[0]])
        self._epsilon = 0.0

    def respond(self, opponent_plan: FloatArray, epsilon: float = 0.0) -> SafeResponse:
        """Respond to a realization plan of the opponent, risking at most ``epsilon``."""
        return self.maximize(self.game.gradient(self.player, opponent_plan), epsilon)

    def maximize(self, gradient: FloatArray, epsilon: float = 0.0) -> SafeResponse:
        """Maximise ``gradient @ x`` over the plans whose guarantee is within ``epsilon`` of the value."""
        if not epsilon >= 0:
            raise ParameterError(f"epsilon is {epsilon}", where="safe best response", fix="give 0 or more")
        self._resolver.set_cost(self._x, gradient)
        if epsilon != self._epsilon:
            self._resolver.set_col_bounds(self._floor, lower=self.value - epsilon)
            self._epsilon = epsilon
        solution = self._resolver.solve().require_optimal()
        x = solution.x
        assert x is not None
        plan = x[self._x]
        price = 0.0 if solution.reduced_costs is None else -float(solution.reduced_costs[self._floor[0]])
        return SafeResponse(epsilon, float(gradient @ plan), max(price, 0.0), plan)
