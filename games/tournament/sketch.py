r"""Jam-or-fold stages that are exact at one profile and cheap to evaluate nearby.

The reach of an outcome is a sum over :math:`169^3` deals, but hands are alike: strategies can be replaced by their
projections onto a few directions U of the space of hands (the leading singular vectors of all tables of orders), and
the tables by :math:`D_o \times_1 U \times_2 U \times_3 U`. With 32 directions a sweep over all states takes a fortieth
of the time, and gains are wrong by cents. That error is a smooth function E of the profile, so it is measured at
an *anchor* and subtracted:

.. math:: R(\sigma) \approx \tilde R(\sigma) + \bigl(R(\hat\sigma) - \tilde R(\hat\sigma)\bigr).

The difference is exact at the anchor and of the order of :math:`\sigma - \hat\sigma` elsewhere. A solver that moves its
anchor along converges to the same point as with exact sweeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equiform.games.tournament.three_way import Reals, ThreeWay
from equiform.models.common.array_types import FloatArray

if TYPE_CHECKING:
    from equiform.games.tournament.jam_fold import JamFoldProspects, JamFoldStages


class Sketch:
    """The deals of three players in a few directions.

    Parameters
    ----------
    orders
        ``[13, n, n, n]``, alike in all seats.
    rank
        The number of directions.
    """

    def __init__(self, orders: Reals, rank: int) -> None:
        n = orders.shape[-1]
        gram = np.zeros((n, n))
        for order in orders:
            flat = order.reshape(n, n * n)
            gram += flat @ flat.T
        directions = np.linalg.eigh(gram)[1][:, ::-1][:, :rank]
        self.directions = np.ascontiguousarray(directions).astype(orders.dtype)
        core = np.empty((len(orders), rank, rank, rank), dtype=orders.dtype)
        for k, order in enumerate(orders):
            first = (self.directions.T @ order.reshape(n, n * n)).reshape(rank, n, n)
            core[k] = self.directions.T @ (first @ self.directions)
        self._three_way = ThreeWay(core, directions.T @ np.ones(n))

    def reach(self, profile: list[Reals]) -> list[Reals]:
        """Return approximate reach, as :meth:`ThreeWay.reach` does."""
        projected = [strategy.astype(self.directions.dtype) @ self.directions for strategy in profile]
        return [reach @ self.directions.T for reach in self._three_way.reach(projected)]


class AnchoredStages:
    """A sketch with the error that it makes at one profile."""

    def __init__(self, stages: JamFoldStages, sketch: Sketch, anchor: tuple[FloatArray, ...]) -> None:
        self._stages, self._sketch = stages, sketch
        exact, rough = stages.reach(anchor), sketch.reach(stages.split(anchor))
        for reach, other in zip(exact, rough, strict=True):
            reach -= other
        self._error = exact

    def prospects(self, profile: tuple[FloatArray, ...]) -> tuple[JamFoldProspects, ...]:
        """Return the prospects of every seat when the others play the profile."""
        reach = self._sketch.reach(self._stages.split(profile))
        for own, error in zip(reach, self._error, strict=True):
            own += error
        return self._stages.wrap(reach)
