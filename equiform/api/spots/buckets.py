"""Rivers in buckets: hands of similar equity play alike. The answer is judged in the real game, hand by hand.

Two ways lead there: buckets of equal weight for CFR (``buckets=50``), and the published algorithm for river endgames,
with its own buckets and a linear program (method ``endgame``).
"""

from __future__ import annotations

from typing import Any

from equiform.api.spots.request import SpotRequest
from equiform.api.spots.solution import SpotSolution
from equiform.endgames.river.bucket_game import bucket_game, by_place
from equiform.endgames.river.distribution import by_ranges, hand_distribution
from equiform.endgames.river.percentiles import weight_buckets
from equiform.endgames.river.solve import BUDGET, TOP, solve_river
from equiform.formulations.optimization.options import SolverOptions
from equiform.games.cards.card import STANDARD
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.public.game import PublicGame
from equiform.runs.progress import Progress


def bucketed(spot: Spot, game: PublicGame, count: int) -> tuple[PublicGame, tuple[IntArray, IntArray]]:
    """Return a river with at most ``count`` buckets per player, and the bucket of each hand.

    Hands are sorted by their equity against the opponent's whole range and cut into buckets of about equal weight.
    """
    if len(spot.board) != 5:
        raise UnsupportedGameError("buckets are made on the river only", where=spot.name, fix="deal all five cards")
    met = hand_distribution(spot.board, by_ranges(*spot.ranges))
    first, second = met.equities()
    labels = weight_buckets(first, met.joint.sum(axis=1), count), weight_buckets(second, met.joint.sum(axis=0), count)
    name, board = f"{spot.name} in buckets", STANDARD.text(spot.board)
    small = bucket_game(name, spot.betting.tree, met.joint, met.sign, labels, board)
    return small, (by_place(game, 0, met.holes, labels[0]), by_place(game, 1, met.holes, labels[1]))


def solve_by_endgame(
    request: SpotRequest,
    *,
    budget: int = BUDGET,
    top: float = TOP,
    backend: str = "highs",
    **unknown: Any,
) -> SpotSolution:
    """Solve a river as the thesis does: buckets by percentiles of equity, and a linear program between them."""
    spot, concept = request.spot, request.concept
    refused = dict.fromkeys(sorted(unknown), True)
    asked = {"until": request.accuracy is not None, "locks": bool(request.locks), **refused}
    for name, given in asked.items():
        if given:
            raise ParameterError(f"endgame does not take {name}", where=spot.name, fix="leave it out, or use cfr")
    solver = SolverOptions(backend)
    found = solve_river(spot, budget=budget, top=top, concept=concept, epsilon=request.epsilon, solver=solver)
    seconds = sum(found.seconds.values())
    rounds = len(found.result.solutions)
    request.progress(Progress("programs", rounds, rounds, seconds))
    return SpotSolution(spot, "endgame", found.strategies, "optimal", rounds, seconds, (), (), concept, found.to_dict())
