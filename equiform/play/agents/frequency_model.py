r"""An opponent model by counting: observed frequencies, started by fictitious hands of equilibrium play.

Ganzfried (2015), §13.7.2: at every information set of the opponent a Dirichlet prior of five fictitious hands at which
he played his equilibrium strategy, then what he was seen to do,

.. math:: \hat y_{ha} = \frac{5\,\sigma^*_{ha} + c_{ha}}{5 + \sum_{a'} c_{ha'}} .

Where his hand stays hidden, each candidate sequence gets its share of the credit by Bayes' rule under the present
model: one step of online expectation maximisation per hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit
from equiform.models.treeplex import Treeplex
from equiform.play.agents.observations import Observations
from equiform.play.batches import behaviors_of, realizations
from equiform.play.interim import stored_array


class FrequencyModel:
    """Models of many opponents, one row each."""

    def __init__(
        self,
        treeplex: Treeplex,
        equilibrium: FloatArray,
        observations: Observations,
        matches: int,
        *,
        prior_hands: float = 5.0,
        whole: bool = False,
    ) -> None:
        """Start every row at the equilibrium with the weight of ``prior_hands`` hands.

        With ``whole`` the hands of every move are rounded down to a whole number: a prior next to the equilibrium,
        under which fewer responses tie.
        """
        if not prior_hands > 0:
            raise ParameterError(f"{prior_hands} fictitious hands", where="opponent model", fix="use a positive number")
        treeplex.check_behavior(equilibrium)
        self._treeplex, self._observations = treeplex, observations
        prior = prior_hands * equilibrium
        self._counts = np.tile(np.floor(prior + 1e-9) if whole else prior, (matches, 1))
        self._plans: FloatArray | None = None

    def plans(self) -> FloatArray:
        """Return the models as realization plans."""
        if self._plans is None:
            self._plans = realizations(self._treeplex, behaviors_of(self._treeplex, self._counts))
        return self._plans

    def update(self, leaves: IntArray) -> None:
        """Count the opponents' moves in one hand of every match."""
        t, seen = self._treeplex, self._observations
        _credit(t.parent, t.infoset_of, seen.start, seen.sequences, seen.weights, self.plans(), leaves, self._counts)
        self._plans = None

    def state(self) -> dict[str, Any]:
        """Return the counts."""
        return {"counts": self._counts}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from the counts."""
        self._counts, self._plans = stored_array(state, "counts", self._counts), None


@jit
def _credit(
    parent: Int32Array,
    infoset_of: Int32Array,
    start: IntArray,
    sequences: IntArray,
    weights: FloatArray,
    plans: FloatArray,
    leaves: IntArray,
    counts: FloatArray,
) -> None:
    for row in range(len(leaves)):
        first, last = start[leaves[row]], start[leaves[row] + 1]
        total, blind = 0.0, 0.0
        for c in range(first, last):
            total += weights[c] * plans[row, sequences[c]]
            blind += weights[c]
        for c in range(first, last):
            # what the model holds impossible has happened: then chance alone tells the candidates apart
            share = weights[c] * plans[row, sequences[c]] / total if total > 0.0 else weights[c] / blind
            s = sequences[c]
            while s > 0:
                counts[row, s] += share
                s = parent[infoset_of[s]]
