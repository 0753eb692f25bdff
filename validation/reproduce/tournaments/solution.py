"""What the tables need of the solved tournament, stored: values of all states, charts and gains at the printed ones.

The run itself (946 states) takes minutes and the three-way table; ``python -m benchmarks.race FOLDER --store`` does it
again, and ``write_summary`` distils it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from equiform.games.tournament.deals import Deals, holdem_counts, holdem_deals
from equiform.games.tournament.game import cash_hand, forced_all_in, tournament_outcomes
from equiform.games.tournament.histories import DECISIONS
from equiform.games.tournament.jam_fold import JamFoldStages
from equiform.games.tournament.structure import Tournament
from equiform.models.common.array_types import FloatArray
from equiform.models.common.files import read_arrays, whole_file
from equiform.solvers_iterative import Until
from equiform.solvers_iterative.stochastic import Interleaved
from equiform.validation.certificates.tournament import certify_tournament

THESIS = Tournament(13500, 300, 600, (50.0, 30.0, 20.0), 300)
STACKS = {"even": (4500, 4500, 4500), "uneven": (3300, 1500, 8700)}
FILE = "equilibrium.npz"
SINGLE_HAND_ITERATIONS = 2000


@dataclass(frozen=True, eq=False)
class SolvedState:
    """One stage in equilibrium: jamming probabilities, what jamming gains, and how likely each outcome is."""

    charts: FloatArray = field(repr=False)  # [decision, hand]
    gains: FloatArray = field(repr=False)
    """Of jamming over folding, times the probability of the hand and of getting there."""
    probabilities: FloatArray = field(repr=False)


@dataclass(frozen=True, eq=False)
class Summary:
    """The solved tournament, as far as tables ask."""

    meta: Mapping[str, Any]
    values: FloatArray = field(repr=False)
    states: Mapping[str, SolvedState] = field(repr=False)


@cache
def stored_summary() -> Summary:
    """Read the stored result."""
    with resources.as_file(resources.files(__package__) / FILE) as path:
        arrays = read_arrays(path, "the solved tournament", fix="write it again with write_summary")
    parts = ("charts", "gains", "probabilities")
    states = {
        name: SolvedState(*(arrays[f"{name}.{part}"].astype(np.float64) for part in parts))
        for name in (*STACKS, "single hand")
    }
    return Summary(json.loads(str(arrays["meta"])), arrays["values"], states)


def write_summary(path: str | Path, profile: Sequence[FloatArray], history: Sequence[tuple[int, float, float]]) -> None:
    """Check a profile of the whole tournament ex post and store what the tables need."""
    deals = holdem_deals(3)
    certificate = certify_tournament(THESIS, holdem_counts(3), profile)
    arrays: dict[str, Any] = {"values": certificate.values}
    for name, stacks in STACKS.items():
        state = THESIS.state_index(stacks)
        own = [_rows(p, seat, [state]) for seat, p in enumerate(profile)]
        stages = JamFoldStages(deals, forced_all_in(THESIS)[[state]])
        worth = tournament_outcomes(THESIS).payoffs(certificate.values, 1.0).reshape(-1, 25, 3)[state]
        _add(arrays, name, stages, own, worth)
    single = single_hand(deals)
    hand = cash_hand(THESIS, STACKS["even"], deals)
    _add(arrays, "single hand", hand.stages, single.profile, hand.outcomes.rewards)  # type: ignore[arg-type]
    assert single.measured is not None
    meta = {
        "tournament": THESIS.to_dict(),
        "certificate": certificate.to_dict(),
        "history": [list(row) for row in history],
        "single_hand_epsilon_in_chips": single.measured.epsilon,
    }
    with whole_file(path) as draft, draft.open("wb") as file:
        np.savez_compressed(file, meta=np.array(json.dumps(meta)), **arrays)


def single_hand(deals: Deals) -> Interleaved:
    """Solve one hand for chips with even stacks."""
    run = Interleaved(cash_hand(THESIS, STACKS["even"], deals))
    run.run(Until(iterations=SINGLE_HAND_ITERATIONS), checkpoint_every=SINGLE_HAND_ITERATIONS)
    return run


def charts_at(profile: Sequence[FloatArray], stacks: Sequence[int]) -> FloatArray:
    """Return the charts of a profile of the whole tournament at the given stacks, ``[decision, hand]``."""
    state = THESIS.state_index(stacks)
    return np.concatenate(
        [_rows(p, seat, [state]).reshape(len(DECISIONS[3][seat]), -1) for seat, p in enumerate(profile)]
    )


def _rows(strategy: FloatArray, seat: int, states: list[int]) -> FloatArray:
    decisions = len(DECISIONS[3][seat])
    return strategy.reshape(len(THESIS.states()), decisions, -1)[states].ravel()


def _add(
    arrays: dict[str, Any], name: str, stages: JamFoldStages, profile: Sequence[FloatArray], worth: FloatArray
) -> None:
    prospects = stages.prospects(tuple(profile))
    arrays[f"{name}.charts"] = np.concatenate([p.reshape(-1, stages.deals.num_hands) for p in profile])
    gains = [own.gains(worth[:, seat])[0] for seat, own in enumerate(prospects)]
    arrays[f"{name}.gains"] = np.concatenate(gains).astype(np.float64)
    arrays[f"{name}.probabilities"] = prospects[0].probabilities(profile[0])
