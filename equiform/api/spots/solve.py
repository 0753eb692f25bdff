"""``equiform.spot``: a hold'em spot in, its equilibrium and the proof out."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from equiform.api.spots.buckets import bucketed, lifted
from equiform.api.spots.locks import Lock, fixed_moves
from equiform.api.spots.solution import SpotSolution
from equiform.games.cards.card import CardsLike
from equiform.games.poker.holdem.bet_sizes import BetSizes
from equiform.games.poker.holdem.ranges import Range
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.arguments import require_name
from equiform.models.common.errors import ParameterError
from equiform.runs.progress import Listener, silent
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.public.public_cfr import PublicCFR

#: Larger games are refused unless the limit is raised: two numbers per sequence must fit into memory.
MAX_SEQUENCES = 400_000_000


@dataclass(frozen=True)
class Accuracy:
    """When to stop.

    Attributes
    ----------
    percent
        Exploitability in percent of the pot.
    gap
        The sum of both players' gains in chips.
    iterations, seconds
        Limits.
    """

    percent: float | None = 0.1
    gap: float | None = None
    iterations: int | None = None
    seconds: float | None = None

    @staticmethod
    def parse(text: str) -> Accuracy:
        """Read ``0.1%``, ``gap=1e-6``, ``iterations=500``, ``seconds=20``, or several separated by commas.

        >>> Accuracy.parse("0.5%,seconds=10")
        Accuracy(percent=0.5, gap=None, iterations=None, seconds=10.0)
        """
        found: dict[str, float] = {}
        for part in filter(None, (piece.strip() for piece in str(text).split(","))):
            match = re.fullmatch(r"(?:(percent|gap|iterations|seconds)\s*=\s*)?([0-9.eE+-]+)\s*(%?)", part)
            name = None if match is None else match[1] or ("percent" if match[3] else None)
            try:
                if match is None or name is None or name in found:
                    raise ValueError
                found[name] = float(match[2])
                if not 0 <= found[name] < math.inf or (name == "iterations" and found[name] != int(found[name])):
                    raise ValueError
            except ValueError:
                raise ParameterError(
                    f"cannot read {part!r}",
                    where=f"until {text!r}",
                    fix="e.g. 0.1%, gap=1e-6, iterations=500, seconds=20",
                ) from None
        if not found:
            raise ParameterError("a run needs an end", where="until", fix="e.g. 0.1%")
        whole = int(found["iterations"]) if "iterations" in found else None
        return Accuracy(found.get("percent"), found.get("gap"), whole, found.get("seconds"))

    def until(self, pot: float) -> Until:
        """Return the limits in chips."""
        gaps = [2 * self.percent / 100 * pot] if self.percent is not None else []
        gaps += [self.gap] if self.gap is not None else []
        return Until(min(gaps) if gaps else None, self.iterations, self.seconds)


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
    method: str = "cfr",
    until: str | Accuracy = "0.1%",
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
    method
        One of :data:`METHODS`.
    until
        When to stop, as :meth:`Accuracy.parse` reads it.
    locks
        Parts of strategies that are given.
    progress
        Called with :class:`~equiform.runs.progress.Progress` events.
    options
        Of the method; for ``cfr`` ``dtype``, ``threads``, ``isomorphism``, ``buckets``, ``state``,
        ``max_sequences``.
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
    return solve_spot(made, method=method, until=until, locks=locks, progress=progress, options=options)


def solve_spot(
    spot: Spot,
    *,
    method: str = "cfr",
    until: str | Accuracy = "0.1%",
    locks: Sequence[Lock] = (),
    progress: Listener = silent,
    options: Mapping[str, Any] | None = None,
) -> SpotSolution:
    """Solve a :class:`Spot`; arguments as for :func:`spot`."""
    require_name(method, METHODS, "method", "spot")
    accuracy = until if isinstance(until, Accuracy) else Accuracy.parse(until)
    return METHODS[method](spot, accuracy, tuple(locks), progress, **dict(options or {}))


def _by_cfr(
    spot: Spot,
    accuracy: Accuracy,
    locks: tuple[Lock, ...],
    progress: Listener,
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
    # locks may tell suits apart
    game = spot.game(isomorphism=isomorphism and not locks)
    size = sum(game.num_sequences)
    if size > max_sequences:
        raise ParameterError(
            f"the game has {size:,} sequences",
            where=spot.name,
            fix=f"use fewer sizes or hands, or raise max_sequences above {max_sequences:,} if memory allows",
        )
    kind = dtype or ("float64" if len(spot.board) == 5 else "float32")
    fixed = fixed_moves(game, locks)
    if buckets is not None and fixed is not None:
        raise ParameterError("locks name hands, and buckets merge them", where="spot", fix="leave one of them out")
    played, labels = (game, None) if buckets is None else bucketed(spot, game, buckets)
    solver = PublicCFR(played, variant, dtype=kind, threads=threads, fixed=fixed, **weights)
    if state is not None and Path(state).exists():
        solver.load(state)
    stopped = solver.run(accuracy.until(spot.betting.pot), save_to=state, progress=progress).stopped_by
    history = tuple(
        (c.iteration, c.seconds, 100 * c.exploitability / spot.betting.pot) for c in solver.history if c.iteration
    )
    strategies = solver.strategies if labels is None else lifted(game, solver.strategies, labels)
    return SpotSolution(spot, "cfr", strategies, stopped, solver.iteration, solver.seconds, locks, history)


#: The methods by name: each takes the spot, the accuracy, locks, a listener and its options.
METHODS: dict[str, Callable[..., SpotSolution]] = {"cfr": _by_cfr}
