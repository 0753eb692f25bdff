r"""Small matrix games: rock-paper-scissors and the examples of Ganzfried's thesis (2015).

All are zero-sum and given by the row player's payoffs.

====================  ================================================================================================
``rps``               rock-paper-scissors (Figure 13.3): no safe exploitation is possible
``rpst``              player 2 has a fourth, strictly dominated move T (Figure 13.4): playing it is a gift
``fig-8.2``           purifying the equilibrium of an abstraction gains k (Proposition 5)
``fig-13.5``          R is a gift although no form of dominance rules it out; value 5/2
``fig-13.6``          R is in no equilibrium's support and yet no gift; value 0
``fig-13.7``          the first stage of the game in :mod:`equiform.games.sequential`; D is strictly dominated
``fig-13.8``          its second stage: the same game with all payoffs doubled
====================  ================================================================================================
"""

from __future__ import annotations

from fractions import Fraction

from equiform.models.common.rational import Number, as_fraction
from equiform.models.normal_form import NormalForm


def rock_paper_scissors() -> NormalForm:
    """Build rock-paper-scissors.

    >>> rock_paper_scissors().payoffs[0, 0].tolist() == [0, -1, 1]
    True
    """
    return NormalForm.from_matrix("rps", "RPS", "RPS", [[0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def rpst() -> NormalForm:
    """Build rock-paper-scissors with a fourth move T for player 2 (Figure 13.4)."""
    return NormalForm.from_matrix("rpst", "RPS", "RPST", [[0, -1, 1, 4], [1, 0, -1, 3], [-1, 1, 0, 3]])


def figure_8_2(k: Number = 1) -> NormalForm:
    """Build the game of Proposition 5, in which purification gains k."""
    return NormalForm.from_matrix("fig-8.2", "UD", "LMR", [[2, 0, -3 * as_fraction(k) - 1], [0, 1, Fraction(-1)]])


def figure_13_5() -> NormalForm:
    """Build the game whose gift is not dominated."""
    return NormalForm.from_matrix("fig-13.5", "UD", "LMR", [[3, 2, 10], [2, 3, 0]])


def figure_13_6() -> NormalForm:
    """Build the game with a move outside every equilibrium's support that is not a gift."""
    return NormalForm.from_matrix("fig-13.6", "UD", "LR", [[0, 0], [-2, 1]])


def figure_13_7() -> NormalForm:
    """Build the first stage of the two-stage gift game."""
    return NormalForm.from_matrix("fig-13.7", "UD", "LR", [[4, 5], [1, 0]])


def figure_13_8() -> NormalForm:
    """Build the second stage of the two-stage gift game."""
    return NormalForm.from_matrix("fig-13.8", "ud", "lr", [[8, 10], [2, 0]])
