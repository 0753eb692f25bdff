r"""The threshold block of the parametric programs: where the thresholds lie, and every player's CDF there.

Ganzfried (2015), §11.6.1 and §11.7.1. Threshold :math:`t_k` lies in one of the cells :math:`c` of the scale
(:mod:`equiform.models.signals.deals`), and :math:`x_{j,k}` stands for :math:`F_j(t_k)`. *Consistency* — that there is a
point of the scale with all these CDF values — comes in two forms:

* ``incremental`` (default): cells are filled one after the other; :math:`s_{k,c} \in [0, 1]` says how far cell c is
  filled and a binary :math:`f_{k,c}` that it is full,

  .. math:: s_{k,c} \ge f_{k,c} \ge s_{k,c+1}, \qquad t_k = \sum_c s_{k,c}, \qquad
            x_{j,k} = \sum_c (F_j(c) - F_j(c-1)) s_{k,c},

  the convex hull of the polyline's pieces; flat pieces of a CDF need no special care. Branching on :math:`f_{k,c}`
  decides whether the threshold lies above an edge, and :math:`t_k \le t_l` can be stated cell by cell,
  :math:`s_{k,c} \le s_{l,c}`, which is much tighter than the sum;
* ``indicator``: the thesis's inequalities with a binary :math:`z_{k,c}` per cell and a big constant, four per threshold
  and cell for two players. For finite signals (11.1)–(11.2),

  .. math:: x_{j,k} - F_j(c-1) z_{k,c} \ge 0, \qquad x_{j,k} - (F_j(c) - 1) z_{k,c} \le 1,

  which lets the CDF values move freely inside the cell, and for continuous ones
  :math:`z_{k,c} = 1 \Rightarrow x_{j,k} = F_j(c-1) + (F_j(c) - F_j(c-1)) (t_k - c + 1)`, where the constant is the
  farthest that the CDF gets from the line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
import pyomo.core as pyo

from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import FloatArray
from equiform.models.signals.deals import Signals
from equiform.models.signals.indifference import CdfValue
from equiform.models.signals.parametric_model import ParametricModel

Consistency = Literal["incremental", "indicator"]


def thresholds_block(signals: Signals, model: ParametricModel, *, consistency: Consistency = "incremental") -> Any:
    """Return a block with ``position[k]``, ``F[j, k]``, the players' own orders and consistency."""
    require_name(consistency, get_args(Consistency), "consistency")
    block = pyo.Block(concrete=True)
    numbers, cells = range(len(model.names)), range(1, signals.num_cells + 1)
    block.F = pyo.Var(range(signals.num_players), numbers, bounds=(0, 1))
    if consistency == "incremental":
        _incremental(block, signals, numbers, cells)
    else:
        _indicator(block, signals, numbers, cells)
    block.num_cells, block.num_players = signals.num_cells, signals.num_players
    block.own_order = pyo.ConstraintList()
    for player, own in enumerate(model.thresholds):
        for place in range(len(own) - 1):
            k = model.number(player, place)
            keep_order(block, block.own_order, k, k + 1)
    return block


def keep_order(block: Any, rows: Any, lower: int, upper: int, *, unless: Any = 0) -> None:
    """Add ``t_lower <= t_upper`` (in position and in every CDF) to a constraint list, unless ``unless`` is one."""
    if hasattr(block, "filled"):
        for c in range(1, block.num_cells + 1):
            rows.add(block.filled[lower, c] <= block.filled[upper, c] + unless)
        return
    rows.add(block.position[lower] <= block.position[upper] + block.num_cells * unless)
    for j in range(block.num_players):
        rows.add(block.F[j, lower] <= block.F[j, upper] + unless)


def restrict(block: Any, signals: Signals, bounds: Mapping[CdfValue, tuple[float, float]]) -> None:
    """Keep CDF values at single thresholds within bounds, and these thresholds out of the cells beyond."""
    for (player, numbers), (low, high) in bounds.items():
        if len(numbers) != 1:
            continue
        (k,) = numbers
        block.F[player, k].setlb(low)
        block.F[player, k].setub(high)
        if not hasattr(block, "filled"):
            continue
        for c in range(1, signals.num_cells + 1):
            if signals.cumulative[player, c] < low:
                block.filled[k, c].setlb(1)
            if signals.cumulative[player, c - 1] > high:
                block.filled[k, c].setub(0)


def _incremental(block: Any, signals: Signals, numbers: range, cells: range) -> None:
    masses, inner = signals.masses, cells[:-1]
    block.filled = pyo.Var(numbers, cells, bounds=(0, 1))
    block.full = pyo.Var(numbers, inner, domain=pyo.Binary)
    block.before = pyo.Constraint(numbers, inner, rule=lambda b, k, c: b.filled[k, c] >= b.full[k, c])
    block.after = pyo.Constraint(numbers, inner, rule=lambda b, k, c: b.filled[k, c + 1] <= b.full[k, c])
    block.position = pyo.Expression(numbers, rule=lambda b, k: sum(b.filled[k, c] for c in cells))
    block.cdf = pyo.Constraint(
        range(signals.num_players),
        numbers,
        rule=lambda b, j, k: b.F[j, k] == sum(float(masses[j, c - 1]) * b.filled[k, c] for c in cells),
    )


def _indicator(block: Any, signals: Signals, numbers: range, cells: range) -> None:
    cumulative, masses = signals.cumulative, signals.masses
    players, length = range(signals.num_players), signals.num_cells
    block.z = pyo.Var(numbers, cells, domain=pyo.Binary)
    block.one_cell = pyo.Constraint(numbers, rule=lambda b, k: sum(b.z[k, c] for c in cells) == 1)
    block.consistency = pyo.ConstraintList()
    if not signals.is_finite:
        block.place = pyo.Var(numbers, bounds=(0, length))
        block.position = pyo.Expression(numbers, rule=lambda b, k: b.place[k])
        for k in numbers:
            for c in cells:
                block.consistency.add(block.place[k] >= (c - 1) * block.z[k, c])
                block.consistency.add(block.place[k] <= length - (length - c) * block.z[k, c])
                for j in players:
                    line = float(cumulative[j, c - 1]) + float(masses[j, c - 1]) * (block.place[k] - (c - 1))
                    # the farthest the CDF is from the line of this piece, above and below: at some edge
                    away = cumulative[j] - cumulative[j, c - 1] - masses[j, c - 1] * (np.arange(length + 1) - (c - 1))
                    block.consistency.add(block.F[j, k] - line <= float(away.max()) * (1 - block.z[k, c]))
                    block.consistency.add(block.F[j, k] - line >= float(away.min()) * (1 - block.z[k, c]))
        return
    block.position = pyo.Expression(numbers, rule=lambda b, k: sum(c * b.z[k, c] for c in cells))
    for k in numbers:
        for c in cells:
            for j in players:
                block.consistency.add(block.F[j, k] - float(cumulative[j, c - 1]) * block.z[k, c] >= 0)
                block.consistency.add(block.F[j, k] - (float(cumulative[j, c]) - 1) * block.z[k, c] <= 1)


def read_positions(block: Any, signals: Signals, model: ParametricModel) -> FloatArray:
    """Read the thresholds' positions off a solved block.

    With finite signals and the thesis's consistency, the owner's CDF value determines how a cell is split (§11.6.2).
    """
    positions = np.empty(len(model.names))
    cells = range(1, signals.num_cells + 1)
    for k, (player, _) in enumerate(model.owners):
        if hasattr(block, "filled"):
            cell = 1 + sum(round(pyo.value(block.full[k, c])) for c in cells[:-1])
            share = pyo.value(block.filled[k, cell])
        else:
            cell = max(cells, key=lambda c: pyo.value(block.z[k, c]))
            share = _share(block, signals, player, k, cell)
        positions[k] = cell - 1 + min(max(share, 0.0), 1.0)
    for player, own in enumerate(model.thresholds):  # rounding may swap thresholds that coincide
        start = model.number(player, 0)
        positions[start : start + len(own)] = np.maximum.accumulate(positions[start : start + len(own)])
    return positions


def _share(block: Any, signals: Signals, player: int, k: int, cell: int) -> float:
    if hasattr(block, "place"):
        return float(pyo.value(block.place[k])) - (cell - 1)
    mass = float(signals.masses[player, cell - 1])
    return (
        (float(pyo.value(block.F[player, k])) - float(signals.cumulative[player, cell - 1])) / mass if mass > 0 else 0.0
    )
