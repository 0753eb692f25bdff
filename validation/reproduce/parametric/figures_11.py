"""Figures 11.1 and 11.2: Kuhn poker with many cards by its infinite limit, and by abstraction."""

from __future__ import annotations

from collections.abc import Sequence

from equiform.validation.reproduce.cell import Cell, by_digits, by_equilibria
from equiform.validation.reproduce.experiment import Experiment, Part

SIZES = (50, 100, 150, 200, 250)
BUCKETS = (2, 5, 10, 25, 50, 125)


_PROJECTION = "the thesis does not say how a card that a threshold cuts is played; we chose the rule that fits"


def projections(cards: int) -> list[Cell]:
    """Project the infinite game's equilibrium and play it against its nemesis."""
    from equiform.validation.closed_forms.one_card import OneCardPoker
    from equiform.validation.reproduce.parametric.large_kuhn import PRINTED_PROJECTIONS, PRINTED_VALUES, figure_11_1

    (row,) = figure_11_1((cards,))
    exact = float(OneCardPoker().value(cards))
    text = f"{PRINTED_PROJECTIONS[cards]:.4f}"
    note = "" if abs(row.value - exact) < 1e-9 else "the program and the closed form differ"
    intervals = [(end, end) for end in (row.projected, row.split)]
    return [
        by_digits("value", str(cards), f"{PRINTED_VALUES[cards]:.4f}", exact, note=note),
        by_equilibria(
            "projection", str(cards), text, row.projected, None, attained=False, others=intervals, note=_PROJECTION
        ),
    ]


def buckets(count: int) -> list[Cell]:
    """Solve a bucketed game and play its equilibria in the game with 250 cards."""
    from equiform.validation.reproduce.parametric.large_kuhn import PRINTED_BUCKETS, figure_11_2

    (row,) = figure_11_2((count,))
    text = f"{PRINTED_BUCKETS[count]:.4f}"
    attained = row.attains(text) is not None
    span = (row.worst, row.best)
    return [by_equilibria("payoff", str(count), text, row.central, span, attained=attained, selected=[row.central])]


def parts_11_1(quick: bool) -> Sequence[Part]:
    """Return one part per deck."""
    return [Part(str(n), projections, (n,)) for n in SIZES if not quick or n <= 100]


def parts_11_2(quick: bool) -> Sequence[Part]:
    """Return one part per number of buckets."""
    return [Part(str(k), buckets, (k,)) for k in BUCKETS if not quick or k <= 10]


FIGURE_11_1 = Experiment(
    id="11.1",
    title="Large Kuhn poker by its infinite limit",
    source="thesis §11.8.1, Figure 11.1",
    about="Values of the games with n cards, here from the closed form that holds for every n, and the worst-case "
    "payoff of the infinite game's equilibrium projected to n cards.",
    tolerance="printed digits; the projection is not excluded if a rule of ours for cut cards fits",
    parts=parts_11_1,
    seconds=(5, 22),
    column_title="cards n",
    remarks=(
        "The projected number plays a cut card whole (bet, else fold, else call); splitting it is the other end.",
    ),
)
FIGURE_11_2 = Experiment(
    id="11.2",
    title="Large Kuhn poker by abstraction into buckets",
    source="thesis §11.8.1, Figure 11.2",
    about="Worst-case payoff in the game with 250 cards of an equilibrium of the bucketed game.",
    tolerance="printed digits with the central equilibrium; attained: another equilibrium of the bucketed game, which "
    "we computed, earns it",
    parts=parts_11_2,
    seconds=(20, 48),
    column_title="buckets",
    remarks=("Ours is the central equilibrium (interior point); the interval runs from the worst found to the best.",),
)
