"""Repeated games: hands a second of the safe agents in Kuhn poker, and safe responses a second."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.registry import Row, entry, seconds
from equiform.formulations import safe_response
from equiform.formulations.safe_responder import SafeResponder
from equiform.play import MatchSpec, play_match, take_seat
from equiform.play.batches import realizations
from equiform.play.opponents import random_behaviors


@entry("play-hands")
def hands() -> Iterator[Row]:
    """Whole matches: models, programs, deals and updates of k."""
    for agent in ("rwywe", "befewp", "best-equilibrium", "best-response"):
        spec = MatchSpec("kuhn", agent, "random", hands=200, opponents=250)
        took = seconds(lambda spec=spec: play_match(spec))  # type: ignore[misc]
        yield Row(f"{agent}, Kuhn", spec.hands * spec.opponents / took, "hands/s", higher_is_better=True)


@entry("play-responses")
def responses() -> Iterator[Row]:
    """The ε-safe best response re-solved for new opponents and ε, beside building the program anew each time."""
    seat = take_seat("kuhn")
    rng = np.random.default_rng(1)
    count = 2000
    behaviors = random_behaviors(seat.opponent, rng, count)
    plans = realizations(seat.opponent, behaviors)
    gradients, epsilons = seat.gradients(plans), rng.uniform(0, 0.3, size=count)
    anew = 20

    def one_by_one() -> None:
        for k in range(anew):
            safe_response.solve(seat.form, plans[k], epsilon=float(epsilons[k]), value=seat.value)

    peer = anew / seconds(one_by_one)
    for engine in ("tableau", "highs"):
        responder = SafeResponder(seat.form, engine=engine)
        ours = count / seconds(lambda r=responder: r.maximize_many(gradients, epsilons))  # type: ignore[misc]
        note = f"goal of 2,000 a second {'met' if ours >= 2000 else 'missed'}"
        yield Row(f"safe response, {engine}", ours, "1/s", "built anew", peer, higher_is_better=True, note=note)
