"""What buckets cost in the real game: the exploitability of bucketed rivers, hand by hand, by the number of buckets."""

from __future__ import annotations

from collections.abc import Sequence

from equiform.endgames.river.bucket_game import bucket_game, by_place, lifted
from equiform.endgames.river.distribution import by_ranges, hand_distribution
from equiform.endgames.river.percentiles import interval_buckets, weight_buckets
from equiform.games.poker.holdem import Spot
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.public.public_cfr import PublicCFR
from equiform.validation.reproduce.cell import Cell, new
from equiform.validation.reproduce.endgames.example import real_bracket, river_spot
from equiform.validation.reproduce.experiment import Experiment, Part

COUNTS = (2, 3, 5, 7, 10, 15, 20, 30, 40, 51, 75, 100, 150, 200, 300)
QUICK = (3, 10)
TOP = 0.995
#: How far the game between buckets is solved, in percent of the pot: far below what the buckets cost.
ACCURACY = 0.005
SPOTS = ("all hands, 28 sequences", "example of §10.4, 196 sequences")
KINDS = ("equal intervals of equity (Algorithm 17)", "equal weights")


def spot_named(name: str) -> Spot:
    """Return a river by its name in the table."""
    return Spot.of("Td9d6hQc2s", pot=200, stack=900) if name == SPOTS[0] else river_spot(300)


def curve(name: str, kind: str, counts: tuple[int, ...]) -> list[Cell]:
    """Solve a river with each number of buckets, and judge the answers hand by hand."""
    spot = spot_named(name)
    game, met = spot.game(), hand_distribution(spot.board, by_ranges(*spot.ranges))
    equities = met.equities()
    weights = met.joint.sum(axis=1), met.joint.sum(axis=0)
    cells = []
    for count in counts:
        labels = [
            interval_buckets(equities[p], count, TOP)
            if kind == KINDS[0]
            else weight_buckets(equities[p], weights[p], count)
            for p in (0, 1)
        ]
        small = bucket_game("buckets", spot.betting.tree, met.joint, met.sign, (labels[0], labels[1]), "river")
        solver = PublicCFR(small)
        done = solver.run(Until(gap=2 * ACCURACY / 100 * spot.betting.pot, iterations=20_000)).checkpoint
        places = by_place(game, 0, met.holes, labels[0]), by_place(game, 1, met.holes, labels[1])
        lower, upper = real_bracket(game, lifted(game, solver.strategies, places))
        claimed = (done.lower + done.upper) / 2
        note = (
            f"{labels[0].max() + 1} and {labels[1].max() + 1} buckets with hands; EV of player 1 between buckets "
            f"{spot.betting.pot / 2 + claimed:.3f}, in the real game between {spot.betting.pot / 2 + lower:.3f} and "
            f"{spot.betting.pot / 2 + upper:.3f}"
        )
        percent = 50 * (upper - lower) / spot.betting.pot
        cells.append(new(f"{count} buckets", f"{name}; {kind}", percent, note=note))
    return cells


def parts(quick: bool) -> Sequence[Part]:
    """Make a part for each river and kind of buckets."""
    if quick:
        return [Part(f"0-{k}", curve, (SPOTS[0], kind, QUICK)) for k, kind in enumerate(KINDS)]
    return [Part(f"{i}-{k}", curve, (n, kind, COUNTS)) for i, n in enumerate(SPOTS) for k, kind in enumerate(KINDS)]


EXPERIMENT = Experiment(
    id="bucket-cost",
    title="What buckets cost on the river",
    source="the algorithm is thesis §10.3; the experiment is ours",
    about="Exploitability in percent of the pot of river strategies that were solved between buckets, measured in the "
    f"real game against best responses of every hand. The games between buckets are solved to {ACCURACY}% of the pot "
    "in 64 bits, so what is left is the price of the buckets.",
    tolerance="nothing is printed anywhere: all cells are ours",
    parts=parts,
    seconds=(10, 600),
    column_title="river; buckets by",
    remarks=(
        "The linear program is exact between buckets, and that says little: the hands in a bucket differ in the cards "
        "that they block and in strength, and a best response sees both.",
    ),
)
