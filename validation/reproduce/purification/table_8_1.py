"""Table 8.1: purification in random 4 × 4 games with 3 × 3 abstractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from equiform.validation.reproduce.cell import Cell, Verdict, by_confidence
from equiform.validation.reproduce.experiment import Experiment, Part
from equiform.validation.reproduce.purification.random_games import NO_CHANGE, sample

GAMES = 1_500_000


def compute(games: int, seed: int) -> list[Cell]:
    """Play purified and unpurified abstract equilibria against the full game's."""
    n, sums = 0, np.zeros(4)
    counts = np.zeros(3)
    for batch in sample(games, seed):
        n += len(batch.purified)
        sums += [batch.purified.sum(), (batch.purified**2).sum(), batch.unpurified.sum(), (batch.unpurified**2).sum()]
        gain = batch.purified - batch.unpurified
        counts += [(gain > NO_CHANGE).sum(), (gain < -NO_CHANGE).sum(), (np.abs(gain) <= NO_CHANGE).sum()]
    means = (sums[[0, 2]] / n).tolist()
    spread = (1.96 * np.sqrt((sums[[1, 3]] / n - np.square(means)) / n)).tolist()
    cells = [
        by_confidence("purified payoff", "average", "-0.050987", 0.00042, means[0], spread[0]),
        by_confidence("unpurified payoff", "average", "-0.054905", 0.00044, means[1], spread[1]),
    ]
    shares = {"improved": ("17.44", 261569), "worse": ("11.48", 172164), "no change": ("71.08", 1066267)}
    for (row, (printed, count)), share in zip(shares.items(), (counts / n).tolist(), strict=True):
        p = count / GAMES
        theirs, ours = (196 * math.sqrt(q * (1 - q) / m) for q, m in ((p, GAMES), (share, n)))
        away = 196 * abs(share - p) / math.hypot(theirs, ours)
        cell = by_confidence(row, "percent", printed, theirs, 100 * share, ours)
        note = (
            f"{count:,} of {GAMES:,} games are printed; ours is {away:.2f} standard errors away, where 1.96 is the "
            "limit and one cell in twenty is beyond it by chance"
        )
        cells.append(replace(cell, note=note) if cell.verdict is Verdict.MISMATCH else cell)
    return cells


def parts(quick: bool) -> Sequence[Part]:
    """Return the parts; the quick set has as many games as the thesis, the full one ten times as many."""
    return [Part("all", compute, (GAMES if quick else 10 * GAMES, 81))]


EXPERIMENT = Experiment(
    id="8.1",
    title="Purification in random 4 × 4 games with 3 × 3 abstractions",
    source="thesis §8.4, Table 8.1",
    about="Payoffs uniform on [−1, 1]; the abstraction leaves out the last row and column. Both games of every trial "
    "are solved by a simplex method compiled for small games.",
    tolerance="joint 95% confidence interval",
    parts=parts,
    seconds=(5, 27),
)
