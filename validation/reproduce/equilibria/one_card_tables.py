r"""Tables 10.2 and 10.3 of Ganzfried (2015): Gordon's equilibrium of one-card poker, as printed, and what is true.

Probabilities with three digits are not an exact equilibrium. The claim to check is that the printed numbers are a
rounded one: that some equilibrium strategy x satisfies, for every information set h and move a,

.. math:: (p_{ha} - \tfrac12 10^{-3})\, x_{\sigma_h} \le x_{ha} \le (p_{ha} + \tfrac12 10^{-3})\, x_{\sigma_h} ,

which adds linear rows to the program over all equilibrium strategies (:mod:`equiform.formulations.zero_sum.selection`).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import scipy.sparse as sp

from equiform.formulations.blocks import plan_values
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.optimization.matrix_constraint import MatrixConstraint
from equiform.formulations.zero_sum import selection
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import StrategyError
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex

RANKS = "23456789TJQKA"

#: Probability of the second move (bet or call), by situation, for the ranks 2 to A.
TABLE_10_2 = {
    "to open": "0.454 0.443 0.254 0.000 0.000 0.000 0.000 0.422 0.549 0.598 0.615 0.628 0.641",
    "after check–bet": "0.000 0.000 0.169 0.269 0.429 0.610 0.760 1.000 1.000 1.000 1.000 1.000 1.000",
}
TABLE_10_3 = {
    "after check": "1.000 1.000 0.000 0.000 0.000 0.000 0.000 1.000 1.000 1.000 1.000 1.000 1.000",
    "after bet": "0.000 0.000 0.000 0.251 0.408 0.583 0.759 1.000 1.000 1.000 1.000 1.000 1.000",
}


def printed_profile(game: SequenceForm) -> tuple[Strategy, Strategy]:
    """Return the printed probabilities as exact strategies of one-card poker with thirteen cards."""
    first, second = game.treeplexes
    return read_table(first, TABLE_10_2), read_table(second, TABLE_10_3)


def read_table(treeplex: Treeplex, rows: dict[str, str]) -> Strategy:
    """Turn a printed table into a strategy: one row per situation, one probability per rank."""
    table: dict[str, dict[str, Fraction]] = {}
    for situation, row in rows.items():
        for rank, text in zip(RANKS, row.split(), strict=True):
            label = f"holding {rank}, {situation}"
            h = next((h for h in range(treeplex.num_infosets) if treeplex.infoset_label(h) == label), None)
            if h is None:
                raise StrategyError(f"there is no {label!r}", where=treeplex.player, fix="use one-card poker, 13 cards")
            passive, active = treeplex.actions[h]
            table[label] = {passive: 1 - Fraction(text), active: Fraction(text)}
    return Strategy.from_table(treeplex, table)


def equilibrium_within(
    game: SequenceForm, printed: Strategy, *, player: int, value: float, half_digit: float = 0.0005
) -> FloatArray | None:
    """Find an equilibrium plan whose probabilities round to the printed ones; ``None`` if there is none."""
    treeplex = game.treeplexes[player]
    n = treeplex.num_sequences
    model = selection.build(game, np.zeros(n), value=value, player=player)
    own, above = np.arange(1, n), treeplex.parent[treeplex.infoset_of[1:]]
    rows = np.arange(n - 1)
    probabilities = printed.floats[1:]
    for name, bound, lower, upper in (
        ("at_least", probabilities - half_digit, 0.0, None),
        ("at_most", probabilities + half_digit, None, 0.0),
    ):
        data, at = np.concatenate([np.ones(n - 1), -bound]), np.concatenate([rows, rows])
        matrix = sp.csr_array((data, (at, np.concatenate([own, above]))), shape=(n - 1, n))
        model.add_component(name, MatrixConstraint(matrix, model.plan.x, lower=lower, upper=upper))
    solution = solve_model(model)
    return plan_values(solution, model.plan) if solution.optimal else None
