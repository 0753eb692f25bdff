r"""Thresholds on the scale of the signals in incremental form, and the mass that a player believes lies below them.

Cell c is filled up to the share :math:`\delta_{k,c}` by threshold k, cells in order, with binaries ``started`` and
``full``:

.. math:: a_{k,1} \ge \delta_{k,1} \ge f_{k,1} \ge a_{k,2} \ge \delta_{k,2} \ge f_{k,2} \ge \dots

The threshold is strictly inside cell c only if :math:`a_{k,c} - f_{k,c} = 1`; otherwise it stands at an edge. A plan
used between two thresholds has the share :math:`\delta_{k+1,c} - \delta_{k,c}` of a cell: the interval of a continuous
signal, or the probability at a finite one.

With beliefs :math:`g_{i,d}` (the opponent's cell d given the own cell i), the mass of opponents below threshold l is
:math:`\sum_d g_{i,d} \delta_{l,d}`, of which :math:`\sum_{d<i} g_{i,d} \delta_{l,d}` in lower cells: linear in δ,
whatever the order of the thresholds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyomo.core as pyo

from equiform.models.common.array_types import FloatArray
from equiform.models.signals.deals import Signals
from equiform.models.signals.parametric_model import ParametricModel


def scale_block(signals: Signals, model: ParametricModel) -> Any:
    """Return a block with ``delta[k, c]``, ``started[k, c]``, ``full[k, c]`` and each player's own order."""
    block = pyo.Block(concrete=True)
    numbers, cells = range(len(model.names)), range(1, signals.num_cells + 1)
    block.delta = pyo.Var(numbers, cells, bounds=(0, 1))
    block.started = pyo.Var(numbers, cells, domain=pyo.Binary)
    block.full = pyo.Var(numbers, cells, domain=pyo.Binary)
    block.start = pyo.Constraint(numbers, cells, rule=lambda b, k, c: b.delta[k, c] <= b.started[k, c])
    block.finish = pyo.Constraint(numbers, cells, rule=lambda b, k, c: b.full[k, c] <= b.delta[k, c])
    block.in_turn = pyo.Constraint(
        numbers, range(1, signals.num_cells), rule=lambda b, k, c: b.started[k, c + 1] <= b.full[k, c]
    )
    block.position = pyo.Expression(numbers, rule=lambda b, k: sum(b.delta[k, c] for c in cells))
    block.own_order = pyo.ConstraintList()
    for player, own in enumerate(model.thresholds):
        for place in range(len(own) - 1):
            at_most(block, block.own_order, model.number(player, place), model.number(player, place) + 1, cells)
    block.num_cells = signals.num_cells
    return block


def at_most(block: Any, rows: Any, lower: int, upper: int, cells: range) -> None:
    """Keep one threshold at or below another, cell by cell."""
    for c in cells:
        rows.add(block.delta[lower, c] <= block.delta[upper, c])
        rows.add(block.started[lower, c] <= block.started[upper, c])
        rows.add(block.full[lower, c] <= block.full[upper, c])


def beliefs_block(scale: Any, signals: Signals, model: ParametricModel) -> Any:
    """Return a block with the mass of each player's opponents below each threshold.

    ``lower[l, i]`` is the mass that the player facing the owner of threshold l believes, in cell i, lies below both l
    and the cell; ``total[l, i]`` is the mass below l. Beliefs about independent signals are the same in all cells: then
    ``total`` has the single column 1, and ``cdf[j, k]`` is the CDF of player j at threshold k of either player.
    """
    block = pyo.Block(concrete=True)
    cells = range(1, signals.num_cells + 1)
    numbers = range(len(model.names))
    block.lower = pyo.Var(numbers, cells, bounds=(0, 1))
    block.total = pyo.Var(numbers, cells if signals.is_dependent else [1], bounds=(0, 1))
    block.sums = pyo.ConstraintList()
    for k, (owner, _) in enumerate(model.owners):
        g = signals.beliefs(1 - owner, owner)
        block.sums.add(block.lower[k, 1] == 0)
        for i in range(2, signals.num_cells + 1):
            if signals.is_dependent:
                block.sums.add(block.lower[k, i] == _mass(scale, g[i - 1], k, range(1, i)))
            else:  # the same beliefs everywhere: add one cell at a time
                here = float(g[0, i - 2]) * scale.delta[k, i - 1]
                block.sums.add(block.lower[k, i] == block.lower[k, i - 1] + here)
    if signals.is_dependent:
        for k, (owner, _) in enumerate(model.owners):
            g = signals.beliefs(1 - owner, owner)
            for i in cells:
                block.sums.add(block.total[k, i] == _mass(scale, g[i - 1], k, cells))
        return block
    block.cdf = pyo.Var(range(2), numbers, bounds=(0, 1))
    for j in range(2):
        for k in numbers:
            block.sums.add(block.cdf[j, k] == _mass(scale, signals.masses[j], k, cells))
    for k, (owner, _) in enumerate(model.owners):
        block.sums.add(block.total[k, 1] == block.cdf[owner, k])
    return block


def _mass(scale: Any, row: FloatArray, k: int, cells: range) -> Any:
    return sum(float(row[d - 1]) * scale.delta[k, d] for d in cells if row[d - 1] > 0)


def read_scale(scale: Any, model: ParametricModel) -> FloatArray:
    """Read positions off a solved block: whole cells are exact, the rest is clipped to its cell."""
    cells = range(1, scale.num_cells + 1)
    positions = np.empty(len(model.names))
    for k in range(len(model.names)):
        whole = sum(round(pyo.value(scale.full[k, c])) for c in cells)
        rest = 0.0
        if whole < scale.num_cells and round(pyo.value(scale.started[k, whole + 1])):
            rest = min(max(float(pyo.value(scale.delta[k, whole + 1])), 0.0), 1.0)
        positions[k] = whole + rest
    for player, own in enumerate(model.thresholds):
        start = model.number(player, 0)
        positions[start : start + len(own)] = np.maximum.accumulate(positions[start : start + len(own)])
    return positions
