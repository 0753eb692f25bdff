"""Card abstraction: GS2's tree, its integer program, earth mover's distances, potential-aware buckets, GameShrink.

Peers are the figures that the papers print, measured on the machines of their day.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

import numpy as np
import ot

from benchmarks.registry import Row, entry, seconds, side_by_side
from equiform.abstraction.cards.expectation import expectation_abstraction, river_by_strength
from equiform.abstraction.cards.game_size import dealings, game_size, limit_betting, tree_nodes
from equiform.abstraction.cards.hierarchical import cluster_flops
from equiform.abstraction.cards.leduc_cards import MILLIBETS, abstract_equilibria
from equiform.abstraction.cards.lossless.one_card_shrink import counted_shrink, mutual_shrink, one_card_signals
from equiform.abstraction.cards.potential_aware import by_distribution, by_potential, class_weights
from equiform.abstraction.cards.scored_rounds import texas_rounds
from equiform.abstraction.clustering.emd import emd_exact, emd_greedy, emd_line
from equiform.abstraction.clustering.histogram_spaces import BucketSpace
from equiform.abstraction.clustering.kmeans1d import kmeans_line
from equiform.formulations.abstraction import abstraction_ip
from equiform.formulations.abstraction.allocation import AllocationProblem, divide_budget
from equiform.formulations.optimization.options import SolverOptions
from equiform.games.cards.card import parse
from equiform.games.cards.indexing import hand_indexer
from equiform.games.cards.one_card import RHODE_ISLAND
from equiform.games.cards.rounds.river_scores import river_scores
from equiform.games.cards.rounds.tables import ehs_table, histogram_table
from equiform.games.cards.rounds.transitions import transition_histograms
from equiform.games.cards.showdown import RIVER_HANDS, showdown

TURN_BUCKETS = 500
PAIRS = 12_000
#: The thesis compares pairs closer than 3,000 units of its unnormalised histograms of 1,081 completions.
CLOSE = 3000 / 1081


@entry("abstraction-ip")
def integer_program() -> Iterator[Row]:
    """Solve the 0-1 program at the size of GS2: 225 parents with up to 30 children each, 900 in all."""
    rng = np.random.default_rng(0)
    samples = [rng.beta(rng.uniform(1, 5), rng.uniform(1, 5), 2000) for _ in range(225)]
    errors = np.array([kmeans_line(sample, 30).errors for sample in samples])
    yield from _three_solvers(AllocationProblem(errors, rng.dirichlet(np.ones(225)), 900))


def _three_solvers(problem: AllocationProblem) -> Iterator[Row]:
    """Solve the program with and without the reduction by bounds, in turns, and the dynamic program."""
    data = problem.errors, problem.weights, problem.budget
    exact = divide_budget(*data)
    for backend in ("highs", "cbc", "scip"):
        small = partial(abstraction_ip.solve, *data, solver=SolverOptions(backend))
        whole = partial(abstraction_ip.solve, *data, solver=SolverOptions(backend), reduce=False)
        took = side_by_side(small, whole)
        for name, solve, own in (("IP", small, took[0]), ("IP, all variables", whole, took[1])):
            found = solve()
            gap = abs(found.error - exact.error) / exact.error
            note = f"gap to DP {gap:.0e}, {found.solution.program.shape[1]} variables"
            goal = 1 if solve is small else None
            yield Row(f"{name} by {backend}", own, "s", "CPLEX 2006 (paper: under)", 1.0, goal=goal, note=note)
    yield Row("the same by dynamic programming", seconds(lambda: divide_budget(*data)), "s")


@entry("abstraction-gs2", slow=True)
def gs2() -> Iterator[Row]:
    """Build 15 / 225 / 900 buckets for preflop, flop and turn, end to end except for the equity tables."""
    rounds = texas_rounds()
    started = time.perf_counter()
    tree = expectation_abstraction(rounds, (15, 225, 900))
    total = time.perf_counter() - started
    yield Row("GS2, three rounds", total, "s", "paper: 3 days on 4 CPUs", 3 * 86400.0, goal=100)
    for name, level in zip(("preflop", "flop", "turn"), tree.levels, strict=True):
        note = (
            f"{level.n_buckets} buckets, {min(level.children)}-{max(level.children)} children per parent, "
            f"root mean square error {level.error**0.5:.4f}, program {level.ip_seconds:.2f} s"
        )
        yield Row(f"GS2, {name}", level.seconds, "s", note=note)
    if (division := tree.levels[2].division) is not None:
        yield from _three_solvers(division)


@entry("abstraction-river", slow=True)
def river() -> Iterator[Row]:
    """Build river buckets without a table: all strengths at once, a fourth round for GS2's tree, and lookups."""
    level = river_by_strength(500)
    note = f"134,459 boards swept and cut, root mean square error {level.error**0.5:.5f}"
    yield Row("500 river buckets by strength", seconds(lambda: river_by_strength(500)), "s", note=note)
    tree = expectation_abstraction(texas_rounds(), (15, 225, 900, 2700))
    last = tree.levels[3]
    note = f"{last.n_buckets} buckets, 56 billion deals swept, root mean square error {last.error**0.5:.4f}"
    yield Row("a fourth round for GS2's tree", last.seconds, "s", note=note)
    deals = np.random.default_rng(0).permuted(np.tile(np.arange(52), (100_000, 1)), axis=1)[:, :7]
    took = seconds(lambda: river_scores(deals)) / len(deals)
    yield Row("strength of a river hand", 1e6 * took, "µs", note="random hands, each on its own board")
    whole = np.vstack([np.hstack([showdown(b).hands, np.tile(b, (RIVER_HANDS, 1))]) for b in deals[:100, 2:]])
    took = seconds(lambda: river_scores(whole)) / len(whole)
    yield Row("strength of a river hand, whole boards", 1e6 * took, "µs", note="1,081 hands per board")


@entry("abstraction-potential", slow=True)
def potential() -> Iterator[Row]:
    """Build turn buckets by river histograms, distances between flop hands, and flop buckets by potential."""
    table = histogram_table("turn-unordered")
    turn = by_distribution(table.indexer, table.counts, TURN_BUCKETS, sample=50_000, iterations=12)
    note = f"13,960,050 hands, means from 50,000, mean squared distance {turn.inertia:.3f}"
    yield Row(f"{turn.n_buckets} turn buckets", turn.seconds, "s", note=note)

    flops, rivers = hand_indexer(2, 3), histogram_table("flop")
    weights = class_weights(flops)

    def futures(classes: np.ndarray) -> np.ndarray:
        moves = transition_histograms(flops, turn.indexer, turn.labels, n_buckets=turn.n_buckets, classes=classes)
        return np.asarray(moves.probabilities.toarray())

    two = flops.index([parse("TcQd7h9hQh"), parse("5c9d3d5d7d")])
    first, second = futures(two)
    note = f"greedy {emd_greedy(first, second, turn.distances):.3f}; rivers alone {emd_line(*rivers.masses(two)):.3f}"
    exact = emd_exact(first, second, turn.distances)
    yield Row("TcQd-7h9hQh to 5c9d-3d5d7d", exact, "intervals", "thesis (5,000 buckets)", 4.519, note=note)

    rng = np.random.default_rng(0)
    classes = rng.choice(len(weights), 2 * PAIRS, p=weights / weights.sum())
    points, lines = futures(classes), rivers.masses(classes)
    exact_all = np.array([emd_exact(points[2 * i], points[2 * i + 1], turn.distances) for i in range(PAIRS)])
    close = np.flatnonzero((exact_all < CLOSE) & (exact_all > 0))
    greedy = [emd_greedy(points[2 * i], points[2 * i + 1], turn.distances) for i in close]
    line = [emd_line(lines[2 * i], lines[2 * i + 1]) for i in close]
    for what, thesis, found in (("Algorithm 2", 0.1496, greedy), ("distribution-aware", 0.2084, line)):
        relative = np.abs(np.array(found) - exact_all[close]) / exact_all[close]
        spread = 1.96 * relative.std() / len(close) ** 0.5
        note = f"{len(close)} of {PAIRS} random pairs closer than {CLOSE:.2f}, ±{spread:.4f}"
        yield Row(f"{what}: mean relative error", float(relative.mean()), "", "thesis", thesis, note=note)

    moves = transition_histograms(flops, turn.indexer, turn.labels, n_buckets=turn.n_buckets, classes=classes).counts
    space = BucketSpace(moves, turn.distances, threads=1)
    centres = space.points(np.arange(20))

    def all_distances() -> None:
        for j in range(len(centres)):
            labels, best = np.full(space.size, -1), np.full(space.size, np.inf)
            space.improve(centres, j, labels, best)

    prepared = []  # POT gets only what it needs: the histograms' own buckets and their distances
    for i in range(1000):
        rows, columns = np.flatnonzero(points[2 * i]), np.flatnonzero(points[2 * i + 1])
        cost = np.ascontiguousarray(turn.distances[np.ix_(rows, columns)])
        prepared.append((points[2 * i, rows], points[2 * i + 1, columns], cost))
    exact_seconds = seconds(lambda: [ot.emd2(*problem) for problem in prepared]) / len(prepared)
    greedy_seconds = seconds(all_distances) / (len(centres) * space.size)
    note = "thesis: 11.4 ms against 0.008 ms, a factor of 1,425"
    yield Row(
        "one distance, Algorithm 2", 1e3 * greedy_seconds, "ms", "exact, POT", 1e3 * exact_seconds, goal=10, note=note
    )

    flop = by_potential(flops, turn, 100, sample=20_000, iterations=6)
    note = f"1,286,792 hands; the two hands above in buckets {flop.labels[two].tolist()}"
    yield Row(f"{flop.n_buckets} flop buckets by potential", flop.seconds, "s", note=note)


@entry("abstraction-public", slow=True)
def public() -> Iterator[Row]:
    """Group 1,755 flops into 60 public clusters, with a base abstraction of 5,000 buckets (here by equity)."""
    flops = ehs_table("flop")
    equities = flops.ehs()
    base = np.searchsorted(np.quantile(equities, np.linspace(0, 1, 5001)[1:-1]), equities)
    found = cluster_flops(base, 60)
    note = "table {:.1f} s, distances {:.1f} s, clusters {:.1f} s".format(*found.seconds)
    sizes = np.bincount(found.clusters.labels)
    yield Row("60 public clusters", sum(found.seconds), "s", note=f"{note}; {len(sizes)} left, largest {sizes.max()}")


@entry("abstraction-gameshrink")
def gameshrink() -> Iterator[Row]:
    """Shrink Rhode Island hold'em."""
    one_card_signals(RHODE_ISLAND)  # equities are cached with the game
    betting = limit_betting(3, 3)
    took = seconds(lambda: counted_shrink(RHODE_ISLAND))
    sizes = counted_shrink(RHODE_ISLAND).sizes
    note = f"classes {sizes}, LP {game_size(betting, sizes).lp_rows:,} rows (paper 1,237,238)"
    yield Row("GameShrink, win and tie counts", took, "s", "paper", 1.0, goal=1, note=note)
    took = seconds(lambda: mutual_shrink(RHODE_ISLAND))
    sizes = mutual_shrink(RHODE_ISLAND).sizes
    note = f"classes {sizes}, LP {game_size(betting, sizes).lp_rows:,} rows"
    yield Row("GameShrink, opponents' classes", took, "s", note=note)
    dealt = game_size(betting, (52, 52 * 51, 52 * 51 * 50))
    yield Row("LP rows as dealt", dealt.lp_rows, "rows", "paper", 91_224_226)
    nodes = tree_nodes(betting, dealings(52, 3))
    note = f"half of {nodes.total:,}: without the order of the private cards"
    yield Row("tree nodes", nodes.total // 2, "nodes", "paper (larger than)", 3.1e9, note=note)


@entry("abstraction-leduc")
def leduc() -> Iterator[Row]:
    """Compute the 24 abstract equilibria of thesis §8.5."""
    started = time.perf_counter()
    found = abstract_equilibria()
    best = max(found, key=lambda e: e.against_equilibrium)
    least = min(found, key=lambda e: e.exploitability)
    note = (
        f"best against equilibrium {best.name} {best.against_equilibrium * MILLIBETS:.1f} mb/h, "
        f"least exploitable {least.name} {least.exploitability * MILLIBETS:.1f} mb/h"
    )
    yield Row("24 abstract equilibria of Leduc", time.perf_counter() - started, "s", note=note)
