r"""Regions of a model that an equilibrium does not use: two thresholds coincide, or one sits at an end of the scale.

Let :math:`w_r \ge 0` be how much worse the plan of region r is than the plan played where r would be, and
:math:`e_r \in \{0,1\}` say that r is empty. Around a threshold between regions a (below) and b (above)

.. math:: u_a(t_k) - u_b(t_k) = w_b - w_a, \qquad 0 \le w_r \le W e_r,

where W is the range of the payoffs, and :math:`e_r = 1` closes the region. Between two regions that are used this is
indifference. If only b is empty, its plan is not better there than a; summed over the thresholds around b, the used
plans on its two sides are equally good. At an end of the scale only the weak preference remains, and any number of
neighbouring regions may be empty together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyomo.core as pyo

from equiform.formulations.parametric.thresholds import keep_order
from equiform.models.signals.parametric_model import ParametricModel


def empty_regions_block(thresholds: Any, model: ParametricModel, largest: Sequence[float], *, allowed: bool) -> Any:
    """Return a block with ``empty[p, r]`` and ``loss[p, r]`` per region; without any if none may be empty.

    ``largest`` is the range of each player's payoffs. A player's only region cannot be empty.
    """
    block = pyo.Block(concrete=True)
    regions = [(p, r) for p, own in enumerate(model.regions) for r in range(len(own)) if len(own) > 1]
    block.empty = pyo.Var(regions if allowed else [], domain=pyo.Binary)
    block.loss = pyo.Var(regions if allowed else [], domain=pyo.NonNegativeReals)
    block.only_if_empty = pyo.Constraint(
        block.loss.index_set(), rule=lambda b, p, r: b.loss[p, r] <= largest[p] * b.empty[p, r]
    )
    block.closed = pyo.ConstraintList()
    for player, region in block.empty:
        lower = model.number(player, region - 1) if region else None
        upper = model.number(player, region) if region + 1 < len(model.regions[player]) else None
        used = 1 - block.empty[player, region]
        if lower is None:
            block.closed.add(thresholds.position[upper] <= thresholds.num_cells * used)
        elif upper is None:
            block.closed.add(thresholds.position[lower] >= thresholds.num_cells * (1 - used))
        else:
            keep_order(thresholds, block.closed, upper, lower, unless=used)
    return block


def empty(block: Any, player: int, region: int) -> Any:
    """Return the binary that says whether a region is empty; zero where none may be."""
    return _member(block.empty, player, region)


def loss(block: Any, player: int, region: int) -> Any:
    """Return how much worse the plan of a region may be where the region would be; zero where none may be empty."""
    return _member(block.loss, player, region)


def _member(variables: Any, *key: int) -> Any:
    if key not in variables:
        return 0
    return variables[key]
