r"""The perturbed game's program in integers, whole and by powers of ε.

The program of :mod:`equiform.formulations.zero_sum.quasi_perfect` has ε in its costs and bounds only. Its data at one
rational ε, and the coefficient of each power of ε in them, are the same function of two vectors of least weights: the
trembles :math:`\varepsilon^{|\sigma|}` themselves, or the indicator of the sequences of one length.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np

from equiform.formulations.zero_sum.quasi_perfect import require_room
from equiform.models.common.rational_vector import RationalVector, as_object
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex
from equiform.validation.certificates.exact_evaluation import flow_residual, payoff_matrix
from equiform.validation.exact.equilibrium import equilibrium_program, payoff_unit
from equiform.validation.exact.linear.program import ExactProgram


def exact_trembles(treeplex: Treeplex, epsilon: Fraction) -> RationalVector:
    r"""Return the least weights :math:`\varepsilon^{|\sigma|}` exactly, with 0 for the empty sequence."""
    require_room(treeplex, epsilon)
    deepest = int(treeplex.depth.max())
    powers = np.array([epsilon.numerator**d * epsilon.denominator ** (deepest - d) for d in range(deepest + 1)], object)
    weights = powers[treeplex.depth]
    weights[0] = 0
    return RationalVector(weights, epsilon.denominator**deepest)


def perturbed_program(game: SequenceForm, epsilon: Fraction) -> ExactProgram:
    """Return the first player's program of the perturbed game, with rows and columns as in ``quasi_perfect.build``."""
    own, least = (exact_trembles(t, epsilon) for t in game.treeplexes)
    return _program(game, own, least, name=f"exact {float(epsilon):g}-quasi-perfect equilibrium")


def _program(
    game: SequenceForm, own: RationalVector, least: RationalVector, *, start: int = 1, name: str = "power of epsilon"
) -> ExactProgram:
    """Return the first player's program with trembles ``own``, the opponent's ``least``; ``start`` scales e and f."""
    program = equilibrium_program(game)
    second = game.treeplexes[1]
    free = second.num_infosets + 1
    # the program counts prices in units of payoff_unit / denominator: so must the payoffs in its objective
    earned = RationalVector(
        payoff_matrix(game.matrix_payoff).times(least.numerators), least.denominator * payoff_unit(game)
    )
    prices = flow_residual(second, least, start=start)
    common = earned.denominator  # a multiple of the other
    is_x = np.arange(len(program.c)) < len(own)
    return dataclasses.replace(
        program,
        c=RationalVector(np.concatenate([-earned.numerators, prices.over(common)]), common),
        row_lower=RationalVector(program.row_lower.numerators * start),
        row_upper=RationalVector(program.row_upper.numerators * start, 1, program.row_upper.finite),
        col_lower=RationalVector(
            np.concatenate([as_object(own.numerators), np.zeros(free, dtype=object)]), own.denominator, is_x
        ),
        name=f"{name} of {game.name}",
    )


def power_program(game: SequenceForm, k: int) -> ExactProgram:
    """The coefficient of ε^k in all data."""
    first, second = game.treeplexes
    return _program(game, indicator(first, k), indicator(second, k), start=int(k == 0))


def indicator(treeplex: Treeplex, k: int) -> RationalVector:
    """Mark the sequences of k moves; the empty one, whose weight is fixed, is never marked."""
    marked = (treeplex.depth == k).astype(np.int64)
    marked[0] = 0
    return RationalVector(marked)
