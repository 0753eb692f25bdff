"""§9.8.1: the two-player tournament of Miltersen and Sørensen (2007), solved and checked on the spot."""

from __future__ import annotations

import numpy as np

from equiform.validation.reproduce.cell import Cell, by_claim, new
from equiform.validation.reproduce.experiment import Experiment, Part

ITERATIONS = 400
#: Stacks of small and big blind, hand, what the thesis says the small blind does.
CLAIMS = (
    ((1800, 6200), "43s", "F"),
    ((1800, 6200), "J2o", "P"),
    ((3600, 4400), "43s", "P"),
    ((3600, 4400), "J2o", "F"),
)


def two_player_cells() -> list[Cell]:
    """Solve 8,000 chips at 300/600 in units of 50, and look at the claims."""
    from equiform.games.cards.charts import starting_hand
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
    jam = run.profile[0].reshape(len(check.values), -1)
    cells = []
    for stacks, hand, says in CLAIMS:
        ours = float(jam[tournament.state_index(stacks), starting_hand(hand)])
        match = abs(ours - (says == "P")) < 0.005
        note = "" if match else "the equilibrium need not be unique"
        cells.append(by_claim(hand, f"small blind at {stacks[0]:,}/{stacks[1]:,}", says, ours, match, note=note))
    mixed = ((jam > 0.05) & (jam < 0.95)).sum(axis=1)
    figures = {
        "ε of the ex post check": check.epsilon,
        "largest distance of a value from s/S": float(np.abs(check.values - tournament.icm_values()).max()),
        "states with more than one clearly mixed hand of the small blind": float((mixed > 1).sum()),
        "states": float(len(mixed)),
    }
    return cells + [new(what, "all states", number) for what, number in figures.items()]


EXPERIMENT = Experiment(
    id="two-player",
    title="The heads-up tournament of Miltersen and Sørensen",
    source="thesis §9.8.1 and §9.8.5",
    about="8,000 chips, blinds of 300 and 600, stacks in units of 50; the winner takes all.",
    tolerance="jam or fold as the thesis says",
    parts=lambda quick: [Part("all", two_player_cells)],
    seconds=(5.0, 5.0),
    remarks=("Clearly mixed means a probability between 0.05 and 0.95.",),
)
