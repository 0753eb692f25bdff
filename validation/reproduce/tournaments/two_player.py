"""§9.8.1: the two-player tournament of Miltersen and Sørensen (2007), solved and checked on the spot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equiform.validation.reproduce.cell import Cell, by_claim, new
from equiform.validation.reproduce.experiment import Experiment, Part

if TYPE_CHECKING:
    from equiform.games.tournament.structure import Tournament
    from equiform.models.common.array_types import FloatArray, IntArray
    from equiform.validation.certificates.tournament import TournamentCertificate

ITERATIONS = 400
_PARTS = 10**9  # values are rounded to such parts of the prize
_MIXED = 1e-7
#: Stacks of small and big blind, hand, what the thesis says the small blind does.
CLAIMS = (
    ((1800, 6200), "43s", "F"),
    ((1800, 6200), "J2o", "P"),
    ((3600, 4400), "43s", "P"),
    ((3600, 4400), "J2o", "F"),
)


def solve_two_players() -> tuple[TournamentCertificate, FloatArray]:
    """Solve 8,000 chips at 300/600 in units of 50; return the check and the jamming probabilities by state and hand."""
    from equiform.games.tournament.deals import holdem_counts, holdem_deals
    from equiform.games.tournament.game import jam_fold_tournament
    from equiform.games.tournament.structure import Tournament
    from equiform.solvers_iterative import Until
    from equiform.solvers_iterative.stochastic import Interleaved
    from equiform.validation.certificates.tournament import certify_tournament

    tournament = Tournament(8000, 300, 600, (1, 0), 50, players=2)
    game = jam_fold_tournament(tournament, holdem_deals(2))
    run = Interleaved(game, values=tournament.icm_values())
    run.run(Until(iterations=ITERATIONS), checkpoint_every=ITERATIONS)
    check = certify_tournament(tournament, holdem_counts(2), run.profile)
    return check, run.profile[0].reshape(len(check.values), -1)


def claim_cells() -> list[Cell]:
    """Compare what the thesis says about two hands, and how far values are from s/S."""
    from equiform.games.cards.charts import starting_hand

    check, jam = solve_two_players()
    tournament, cells = check.tournament, []
    for stacks, hand, says in CLAIMS:
        ours = float(jam[tournament.state_index(stacks), starting_hand(hand)])
        match = abs(ours - (says == "P")) < 0.005
        note = "" if match else "the equilibrium need not be unique"
        cells.append(by_claim(hand, f"small blind at {stacks[0]:,}/{stacks[1]:,}", says, ours, match, note=note))
    off = np.abs(check.values - tournament.icm_values())
    figures = {
        "ε of the ex post check": check.epsilon,
        "largest distance of a value from s/S": float(off.max()),
        "mean distance of a value from s/S": float(off.mean()),
        "states": float(len(off)),
    }
    return cells + [new(what, "all states", number) for what, number in figures.items()]


def mixture_cells() -> list[Cell]:
    """Compare how many hands a player needs to mix: at most one, says §9.8.1."""
    check, _ = solve_two_players()
    mixed = vertex_mixtures(check.tournament, check.values)
    cells = []
    for player, name in enumerate(("small blind", "big blind")):
        most = int(mixed[:, player].max())
        more = int((mixed[:, player] > 1).sum())
        note = f"more than one in {more} of {len(mixed)} states, at a vertex; others may mix less" if most > 1 else ""
        cells.append(
            by_claim(f"most hands that the {name} mixes", "all states", "1", float(most), most <= 1, note=note)
        )
    return cells


def vertex_mixtures(tournament: Tournament, values: FloatArray) -> IntArray:
    """Count the hands that each player mixes in every state, at a vertex of the hand's linear program.

    The hand is played for the given values of what follows. Fictitious play returns some equilibrium of it; a vertex is
    one that mixes as little as its neighbours, and shows what players *need* to do.
    """
    from equiform.formulations.optimization.options import SolverOptions
    from equiform.formulations.zero_sum import sequence_form_lp
    from equiform.games.tournament.game import tournament_outcomes
    from equiform.games.tournament.push_fold import jam_or_fold

    worth = tournament_outcomes(tournament).payoffs(values, 1.0).reshape(len(values), 5, 2)[:, :, 0]
    amounts = np.rint((worth - worth.mean(axis=1, keepdims=True)) * _PARTS).astype(np.int64)
    found = np.zeros((len(values), 2), dtype=np.int64)
    for state, (folded, stolen, *shown) in enumerate(amounts.tolist()):
        form = jam_or_fold(tournament.state_name(state), folded, stolen, tuple(shown), _PARTS)
        solved = sequence_form_lp.solve(form, solver=SolverOptions(algorithm="simplex")).require_optimal()
        for player, strategy in enumerate(solved.strategies):
            assert strategy is not None
            bold = strategy.floats[1::2]
            found[state, player] = ((bold > _MIXED) & (bold < 1 - _MIXED)).sum()
    return found


EXPERIMENT = Experiment(
    id="two-player",
    title="The heads-up tournament of Miltersen and Sørensen",
    source="thesis §9.8.1 and §9.8.5",
    about="8,000 chips, blinds of 300 and 600, stacks in units of 50; the winner takes all.",
    tolerance="jam or fold as the thesis says",
    parts=lambda quick: [Part("claims", claim_cells), *([] if quick else [Part("mixtures", mixture_cells)])],
    seconds=(5.0, 30.0),
    remarks=("Mixed hands are counted at a vertex of each state's linear program, given the values of all states.",),
)
