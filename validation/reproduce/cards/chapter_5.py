"""Chapter 5: equities and earth mover's distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from equiform.validation.reproduce.cell import Cell, Verdict, by_digits
from equiform.validation.reproduce.experiment import Experiment, Part

PREFLOP = {"AcAd": "0.852", "KcKd": "0.824", "KcQc": "0.634", "6c6d": "0.633"}
FLOPS = {("TcQd", "7h9hQh"): "0.683", ("5c9d", "3d5d7d"): "0.679"}


def equities() -> list[Cell]:
    """Enumerate all boards and opponent hands."""
    from equiform.games.cards.equity import equity

    cells = [by_digits(hand, "equity", text, equity(hand).ehs) for hand, text in PREFLOP.items()]
    aces = equity("AcAd")
    cells.append(by_digits("AcAd", "wins %", "84.93", 100 * aces.win))
    tie = by_digits("AcAd", "ties %", "0.55", 100 * aces.tie)
    cells.append(tie if tie.verdict is Verdict.MATCH else replace(tie, note="an exact count of all deals"))
    cells.append(by_digits("KcQc on 7dQh4h2s3c", "equity", "0.856", equity("KcQc", "7dQh4h2s3c").ehs))
    cells += [by_digits(f"{h}-{b}", "equity", text, equity(h, b).ehs) for (h, b), text in FLOPS.items()]
    return cells


def distances() -> list[Cell]:
    """Compare the two flops by their rivers alone, and by where the turn may lead."""
    import numpy as np

    from equiform.abstraction.clustering.emd import emd_exact, emd_line
    from equiform.games.cards.card import cards_text, parse
    from equiform.games.cards.equity import river_distribution

    rivers = [river_distribution(*flop).histogram() for flop in FLOPS]

    def turns(hand: str, flop: str) -> Any:
        dealt = parse(hand + flop)
        cards = [c for c in range(52) if c not in dealt]
        return np.array([river_distribution(hand, flop + cards_text([c])).histogram() for c in cards])

    cumulated = np.cumsum(np.vstack([turns(*flop) for flop in FLOPS]), axis=1)
    ground = np.abs(cumulated[:, None] - cumulated[None]).sum(axis=2)
    p, q = np.repeat([1 / 47, 0.0], 47), np.repeat([0.0, 1 / 47], 47)
    potential = emd_exact(p, q, ground)
    note = "every turn hand its own bucket; the thesis measures between its 5,000 turn buckets, which it does not give"
    final = np.array([0.5, 0.0, 0.0, 0.0, 0.5])
    states = np.cumsum([[0.5, 0, 0, 0, 0.5], [1.0, 0, 0, 0, 0], [0, 0, 0, 0, 1.0]], axis=1)  # B, D and E
    between = np.abs(states[:, None] - states[None]).sum(axis=2)
    return [
        by_digits("two flops", "EMD of rivers", "0.559", emd_line(*rivers)),
        by_digits("two flops", "potential-aware EMD", "4.519", potential, note=note),
        by_digits("x1 and x2 (§5.1.1)", "EMD of the end", "0", emd_line(final, final)),
        by_digits("x1 and x2 (§5.1.1)", "potential-aware EMD", "2", emd_exact([1.0, 0, 0], [0, 0.5, 0.5], between)),
    ]


def parts(quick: bool) -> Sequence[Part]:
    """Return the parts: equities and distances."""
    return [Part("equities", equities), Part("distances", distances)]


EXPERIMENT = Experiment(
    id="chapter-5",
    title="Equities, and distances that only potential tells apart",
    source="thesis chapter 5",
    about="Exact equities against a random hand; earth mover's distances over fifty intervals of equity.",
    tolerance="printed digits",
    parts=parts,
    seconds=(9, 9),
)
