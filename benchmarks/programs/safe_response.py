"""Safe best responses per second: solved again from the last basis, against rebuilding the program each time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.registry import Row, entry, seconds
from equiform.api import as_game, as_sequence_form
from equiform.formulations.opponents import safe_response
from equiform.formulations.opponents.safe_responder import SafeResponder
from equiform.models.common.array_types import FloatArray
from equiform.models.treeplex import Treeplex


def _opponents(treeplex: Treeplex, count: int) -> list[FloatArray]:
    """Draw strategies at random, like those in a match."""
    rng = np.random.default_rng(20150101)
    plans = []
    for _ in range(count):
        behavior = rng.random(treeplex.num_sequences)
        behavior[0] = 1.0
        behavior[1:] /= np.add.reduceat(behavior, treeplex.start[:-1])[treeplex.infoset_of[1:]]
        plans.append(treeplex.realization(behavior))
    return plans


def _rate(solve: Callable[[int], object], count: int) -> float:
    """Return calls per second, the best of three runs."""
    rates = []
    for _ in range(3):
        started = time.perf_counter()
        for k in range(count):
            solve(k)
        rates.append(count / (time.perf_counter() - started))
    return max(rates)


@entry("safe-response")
def responses() -> Iterator[Row]:
    """Solve with a new opponent and a new ε every time. The goal is 2,000 per second in Kuhn poker."""
    yield from _rows("kuhn", 4000, 100, "aim: 2,000/s")
    yield from _rows("one-card", 1000, 50, "")
    yield from _rows("leduc", 100, 20, "")


def _rows(name: str, count: int, anew_count: int, note: str) -> Iterator[Row]:
    form = as_sequence_form(as_game(name))
    plans = _opponents(form.treeplexes[1], count)
    epsilons = (np.random.default_rng(1).random(count) / 3).tolist()
    responder, highs = SafeResponder(form), SafeResponder(form, engine="highs")
    value = responder.value
    peer = _rate(lambda k: safe_response.solve(form, plans[k], epsilon=epsilons[k], value=value), anew_count)

    def row(what: str, rate: float) -> Row:
        return Row(f"{name}, {what}", rate, "responses/s", "built from scratch (HiGHS)", peer, 2.0, True, note)

    if responder.engine == "tableau":
        yield row("tableau", _rate(lambda k: responder.respond(plans[k], epsilons[k]), count))
    yield row("HiGHS", _rate(lambda k: highs.respond(plans[k], epsilons[k]), count))
    gradients = np.array([form.gradient(0, p) for p in plans])
    batch = seconds(lambda: responder.maximize_many(gradients, np.array(epsilons)))
    yield row(f"{responder.engine}, one batch", count / batch)
