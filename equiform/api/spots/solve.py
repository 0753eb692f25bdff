"""``equiform.spot``: a hold'em spot in, its equilibrium and the proof out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from equiform.api.spots.accuracy import Accuracy
from equiform.api.spots.buckets import bucketed, solve_by_endgame
from equiform.api.spots.locks import Lock, fixed_moves
from equiform.api.spots.programs import CONCEPTS, solve_by_programs
from equiform.api.spots.request import SpotRequest
from equiform.api.spots.solution import SpotSolution
from equiform.endgames.river.bucket_game import lifted
from equiform.games.cards.card import CardsLike
from equiform.games.poker.holdem.bet_sizes import BetSizes
from equiform.games.poker.holdem.ranges import Range
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.arguments import require_name
from equiform.models.common.errors import ParameterError
from equiform.runs.progress import Listener, silent
from equiform.solvers_iterative.public.public_cfr import PublicCFR

#: What discounted CFR uses on spots unless weights are given: the best of seven settings on three rivers and a turn.
#: Against the usual (1.5, 0, 2) it saves about a quarter of the iterations on three of the four.
WEIGHTS: dict[str, Any] = {"alpha": 1.3, "beta": 0.25, "gamma": 3.0}
#: Larger games are refused unless the limit is raised: two numbers per sequence must fit into memory.
MAX_SEQUENCES = 400_000_000


def spot(
    board: CardsLike,
    *,
    pot: float,
    stack: float,
    oop: Range | str = "random",
    ip: Range | str = "random",
    bets: str = "50%,100%,a",
    raises: str = "100%,a",
    sizes: BetSizes | None = None,
    method: str | None = None,
    concept: str = "nash",
    epsilon: float | None = None,
    until: str | Accuracy | None = None,
    locks: Sequence[Lock] = (),
    progress: Listener = silent,
    options: Mapping[str, Any] | None = None,
    **betting: Any,
) -> SpotSolution:
    """Solve a hold'em spot on the flop, turn or river.

    Parameters
    ----------
    board
        Three to five cards.
    pot, stack
        Chips in the middle, and behind each player.
    oop, ip
        The ranges of player 1, who acts first, and of player 2.
    bets, raises
        The sizes, or ``sizes`` for all that a :class:`BetSizes` can say.
    method, concept, epsilon, until, locks, progress, options
        As for :func:`solve_spot`.
    betting
        Further arguments of :meth:`Spot.of`.

    Returns
    -------
    SpotSolution
        Strategies and values; ``certificate`` proves them.

    Examples
    --------
    >>> solved = spot("2c2d2h3c3d", pot=100, stack=100, oop="AA,QQ", ip="KK", bets="a", raises="a", until="0.01%")
    >>> round(solved.ev, 1)
    75.0
    """
    made = Spot.of(board, pot=pot, stack=stack, oop=oop, ip=ip, sizes=sizes or BetSizes(bets, raises), **betting)
    return solve_spot(
        made,
        method=method,
        concept=concept,
        epsilon=epsilon,
        until=until,
        locks=locks,
        progress=progress,
        options=options,
    )


def solve_spot(
    spot: Spot,
    *,
    method: str | None = None,
    concept: str = "nash",
    epsilon: float | None = None,
    until: str | Accuracy | None = None,
    locks: Sequence[Lock] = (),
    progress: Listener = silent,
    options: Mapping[str, Any] | None = None,
) -> SpotSolution:
    """Solve a :class:`Spot`.

    Parameters
    ----------
    spot
        The ranges, the board, the chips and the betting.
    method
        ``cfr`` on any street; for rivers also ``lp``, linear programs on the factored payoff, and ``endgame``, the
        published algorithm: a linear program between buckets of hands. By default ``cfr``, or ``lp`` where the concept
        or an exact answer asks for programs.
    concept
        ``nash``, or by ``lp`` on small spots and by ``endgame`` ``une`` (undominated) and ``qpe`` (ε-quasi-perfect).
    epsilon
        The least weight of a move, for ``qpe``.
    until
        When to stop, as :meth:`Accuracy.parse` reads it; by default 0.1% by ``cfr`` and ``gap=1e-9`` by ``lp``.
    locks
        Parts of strategies that are fixed, by ``cfr``.
    progress
        Called with :class:`~equiform.runs.progress.Progress` events.
    options
        Of the method; for ``cfr`` ``dtype``, ``threads``, ``isomorphism``, ``buckets``, ``state``,
        ``max_sequences``; for ``lp`` ``exact`` (rational numbers, small spots), ``start`` (iterations of CFR before
        the first program), ``max_sequences``; for ``endgame`` ``budget`` (T), ``top`` (α) and ``backend``.

    Returns
    -------
    SpotSolution
        Strategies and values; ``certificate`` proves them.
    """
    chosen = dict(options or {})
    method = method or ("lp" if concept != "nash" or chosen.get("exact") else "cfr")
    require_name(method, METHODS, "method", "spot")
    require_name(concept, CONCEPTS, "concept", "spot")
    if (concept == "qpe") != (epsilon is not None):
        raise ParameterError(
            "qpe needs an epsilon" if concept == "qpe" else f"{concept} takes no epsilon",
            where="spot",
            fix="pass the least weight of a move, e.g. 0.001, with qpe and only there",
        )
    accuracy = Accuracy.parse(until) if isinstance(until, str) else until
    request = SpotRequest(spot, concept, epsilon, accuracy, tuple(locks), progress)
    return METHODS[method](request, **chosen)


def _by_cfr(
    request: SpotRequest,
    *,
    dtype: str | None = None,
    threads: int = 1,
    isomorphism: bool = True,
    buckets: int | None = None,
    state: str | Path | None = None,
    max_sequences: int = MAX_SEQUENCES,
    variant: str = "dcfr",
    **weights: Any,
) -> SpotSolution:
    """Solve by discounted CFR on the public game; Ctrl-C ends it with the best answer so far."""
    spot = request.spot
    if request.concept != "nash":
        raise ParameterError(
            f"cfr approaches a Nash equilibrium, which need not be {request.concept}",
            where=spot.name,
            fix="use method lp on a river",
        )
    # locks may tell suits apart
    game = spot.game(isomorphism=isomorphism and not request.locks)
    size = sum(game.num_sequences)
    if size > max_sequences:
        raise ParameterError(
            f"the game has {size:,} sequences",
            where=spot.name,
            fix=f"use fewer sizes or hands, or raise max_sequences above {max_sequences:,} if memory allows",
        )
    kind = dtype or ("float64" if len(spot.board) == 5 else "float32")
    fixed = fixed_moves(game, request.locks)
    if buckets is not None and fixed is not None:
        raise ParameterError("locks name hands, and buckets merge them", where="spot", fix="leave one of them out")
    played, labels = (game, None) if buckets is None else bucketed(spot, game, buckets)
    if variant == "dcfr":
        weights = {**WEIGHTS, **weights}
    solver = PublicCFR(played, variant, dtype=kind, threads=threads, fixed=fixed, **weights)
    if state is not None and Path(state).exists():
        solver.load(state)
    until = (request.accuracy or Accuracy()).until(spot.betting.pot)
    stopped = solver.run(until, save_to=state, progress=request.progress).stopped_by
    history = tuple(
        (c.iteration, c.seconds, 100 * c.exploitability / spot.betting.pot) for c in solver.history if c.iteration
    )
    strategies = solver.strategies if labels is None else lifted(game, solver.strategies, labels)
    return SpotSolution(spot, "cfr", strategies, stopped, solver.iteration, solver.seconds, request.locks, history)


#: The methods by name: each takes a request and its own options.
METHODS: dict[str, Callable[..., SpotSolution]] = {"cfr": _by_cfr, "lp": solve_by_programs, "endgame": solve_by_endgame}
