"""``equiform.holdem``: from a card abstraction of Texas hold'em to a solved abstract game with a proof."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from equiform.abstraction.cards.card_abstraction import CardAbstraction
from equiform.abstraction.holdem.blueprint import HoldemBlueprint, read_blueprint
from equiform.abstraction.holdem.boards import Sweep
from equiform.abstraction.holdem.deals import HoldemDeals
from equiform.abstraction.holdem.estimate import Keep, estimate_deals
from equiform.abstraction.holdem.files import abstraction_key, read_deals, write_deals
from equiform.abstraction.holdem.game import LEAVES, holdem_game, leaf_payoffs
from equiform.abstraction.holdem.hand_buckets import HandBuckets
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.bucketed.game import BucketedGame
from equiform.models.bucketed.strategy import BucketStrategy
from equiform.models.common.arguments import require_name
from equiform.models.common.errors import ParameterError
from equiform.models.common.files import make_folder
from equiform.models.strategy import Strategy
from equiform.runs.progress import Listener, silent
from equiform.solvers_iterative.base import IterativeSolver
from equiform.solvers_iterative.progress import Checkpoint, Until
from equiform.solvers_iterative.registry import create
from equiform.validation.certificates.bucketed import BucketCertificate, certify_buckets

DEALS_FILE, SUMS_FILE, STATE_FILE = "deals.npz", "sums.npz", "state.npz"


@dataclass(frozen=True, eq=False)
class HoldemSolution:
    """A solved abstract game of hold'em, its proof, and the strategy for the table."""

    game: BucketedGame
    betting: HoldemBetting
    blueprint: HoldemBlueprint
    certificate: BucketCertificate
    """In chips."""
    history: tuple[Checkpoint, ...] = field(repr=False)
    stopped_by: str
    iterations: int
    seconds: float
    work: dict[str, float]
    """CPU seconds by stage."""

    @property
    def small_bets(self) -> dict[str, float]:
        """The value and the gap in small bets per hand; the gap is what both players could gain together."""
        unit = self.betting.small_bet
        proof = self.certificate
        return {
            "value": proof.value / unit,
            "lower": proof.lower / unit,
            "upper": proof.upper / unit,
            "nash_conv": proof.nash_conv / unit,
            "exploitability": proof.exploitability / unit,
        }

    def summary(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "game": self.game.name,
            "buckets": list(self.game.deals.sizes(0)),
            "leaves": self.game.leaves.kind,
            "sequences": list(self.game.num_sequences),
            "iterations": self.iterations,
            "stopped_by": self.stopped_by,
            "seconds": self.seconds,
            "cpu_seconds": self.work,
            "small_bets_per_hand": self.small_bets,
            "certificate": self.certificate.to_dict(),
            "sampling_error": sampling_error(self.game),
            "history": [
                {"iteration": c.iteration, "seconds": c.seconds, "gap": c.nash_conv / self.betting.small_bet}
                for c in self.history
            ],
        }


def sampling_error(game: BucketedGame) -> dict[str, float]:
    """Return the sums of the standard errors of the card matrices over all pairs of buckets; 0 where exact."""
    deals, leaves = game.deals.error, game.leaves.error
    return {
        "deals": 0.0 if deals is None else float(deals.sum()),
        "leaves": float(sum(e.sum() for e in leaves)),
    }


def holdem(
    abstraction: CardAbstraction,
    *,
    betting: HoldemBetting | None = None,
    leaves: str = "rollout",
    river: str | Path | HoldemBlueprint | None = None,
    sweep: Sweep | None = None,
    until: Until | None = None,
    algorithm: str = "dcfr",
    folder: str | Path | None = None,
    progress: Listener = silent,
) -> HoldemSolution:
    """Solve an abstract game of heads-up hold'em.

    Parameters
    ----------
    abstraction
        Buckets of the first rounds of Texas hold'em; those of ``betting.rounds`` are used.
    betting
        What may be bet; by default limit hold'em for as many rounds as the abstraction has, at most three.
    leaves
        What a game of fewer than four rounds pays at its end: ``rollout``, ``simulated`` or ``strategy``.
    river
        For the last two kinds the folder (or blueprint) of a solved game of four rounds. ``simulated`` measures its
        river frequencies in self-play; ``strategy`` needs the same first three rounds of buckets.
    sweep
        Which boards are dealt for the card matrices; by default all, or two rivers per turn if the river is played.
    until
        When to stop, the gap being the sum of what both players could gain in *small bets per hand*; by default 0.001.
    algorithm
        Any solver of sequence forms: ``dcfr``, ``cfr+``, ``pcfr+``, ``egt``, ``fp``, …
    folder
        Keeps the deals (sums while they are counted) and the solver's state here, and goes on from them.
    progress
        Called with events.

    Raises
    ------
    ParameterError
        If the abstraction is of another game or has too few rounds, or if leaves and rounds do not fit.
    """
    bets = HoldemBetting(rounds=min(3, len(abstraction.rounds))) if betting is None else betting
    _require_leaves(bets, leaves, river)
    drawn = sweep or Sweep.of_rounds(4 if leaves == "strategy" else bets.rounds)
    place = None if folder is None else make_folder(folder)
    solved, clock = None if leaves == "rollout" else _solved(leaves, river, abstraction), _Clock()
    buckets = solved.buckets if solved and leaves == "strategy" else HandBuckets(abstraction, bets.rounds)
    dealt = clock.time("deals", lambda: _deals(buckets, drawn, place, progress))
    found = dealt.truncated(bets.rounds)
    paid = clock.time("leaves", lambda: leaf_payoffs(leaves, bets, dealt, solved, progress=progress))
    game = holdem_game(abstraction, bets, found, paid)
    state = None if place is None else place / STATE_FILE
    solver = _solver(algorithm, game, state)
    chips = _in_chips(until or Until(gap=0.001), bets.small_bet)
    result = clock.time("solving", lambda: solver.run(chips, save_to=state, progress=progress))
    proof, blueprint = clock.time("certificate", lambda: _proved(game, abstraction, bets, found, result.strategies))
    if place is not None:
        blueprint.write(place)
    ended = (result.history, result.stopped_by, solver.iteration, solver.seconds)
    return HoldemSolution(game, bets, blueprint, proof, *ended, clock.spent)


def _in_chips(until: Until, small_bet: float) -> Until:
    return Until(None if until.gap is None else until.gap * small_bet, until.iterations, until.seconds)


def _solver(algorithm: str, game: BucketedGame, state: Path | None) -> IterativeSolver:
    """Return the solver, from where it was when its state was kept."""
    solver = create(algorithm, game.sequence_form())
    if state is not None and state.exists():
        solver.load(state)
    return solver


def _proved(
    game: BucketedGame,
    abstraction: CardAbstraction,
    bets: HoldemBetting,
    found: HoldemDeals,
    strategies: Sequence[Strategy],
) -> tuple[BucketCertificate, HoldemBlueprint]:
    """Certify a solution as it is stored."""
    codes = found.histories.codes
    first, second = (BucketStrategy.from_behavior(game, p, s.floats) for p, s in enumerate(strategies))
    # what is proved is what is stored: probabilities in single precision, normalised when they are read
    tables = tuple(tuple(t.astype(np.float32) for t in s.tables) for s in (first, second))
    draft = HoldemBlueprint(abstraction, bets, (tables[0], tables[1]), {}, codes)
    proof = certify_buckets(game, draft.strategies)
    stated = {"leaves": game.leaves.kind, "small_bet": bets.small_bet, **proof.to_dict()}
    return proof, HoldemBlueprint(abstraction, bets, (tables[0], tables[1]), stated, codes)


class _Clock:
    """CPU seconds by stage."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def time(self, stage: str, work: Callable[[], Any]) -> Any:
        started = time.process_time()
        found = work()
        self.spent[stage] = time.process_time() - started
        return found


def _require_leaves(betting: HoldemBetting, leaves: str, river: Any) -> None:
    require_name(leaves, LEAVES, "leaves", "hold'em")
    if leaves != "rollout" and betting.rounds != 3:
        raise ParameterError(
            f"{leaves} leaves stand for the river, and {betting.rounds} rounds are played",
            where="hold'em",
            fix="play three rounds, or use rollout",
        )
    if leaves != "rollout" and river is None:
        raise ParameterError(
            f"{leaves} leaves need a solved game of four rounds", where="hold'em", fix="solve one and pass its folder"
        )


def _solved(leaves: str, river: Any, abstraction: CardAbstraction) -> HoldemBlueprint:
    """Return the game of four rounds that leaves are taken from."""
    solved = river if isinstance(river, HoldemBlueprint) else read_blueprint(river)
    if leaves == "strategy" and abstraction_key(solved.abstraction, 3) != abstraction_key(abstraction, 3):
        raise ParameterError(
            "the river's game has other buckets before the river", where="strategy leaves", fix="use one abstraction"
        )
    return solved


def _deals(buckets: HandBuckets, sweep: Sweep, place: Path | None, progress: Listener) -> HoldemDeals:
    """Read the deals, or count and keep them."""
    key = abstraction_key(buckets.stored, buckets.rounds)
    if place is not None and (place / DEALS_FILE).exists():
        return read_deals(place / DEALS_FILE, key, buckets, sweep)
    keep = None if place is None else Keep(place / SUMS_FILE, key)
    found = estimate_deals(buckets, sweep, keep=keep, progress=progress)
    if place is not None:
        write_deals(place / DEALS_FILE, found, key)
    return found
