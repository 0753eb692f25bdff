r"""Equilibria of large games by linear programs on a growing set of moves.

The dense part of a large program is spent on moves that nobody makes. So the program is solved on a *restriction*, in
which either player has some of the moves, and full best responses against its solution say which are missing. This is
the double oracle of H. B. McMahan, G. J. Gordon and A. Blum (ICML 2003) on sequences, as B. Bošanský et al. (JAIR 51,
2014) have it, with two changes that matter on hold'em rivers: it begins with the moves that a rough solution plays or
nearly plays, and it grows by all moves that are nearly as good as the best one, not by best responses alone. The latter
matters because moves off the path are the opponent's deterrence.

Let :math:`v_{ha}` be what move a is worth at information set h against the opponent's plan, and :math:`s_h` what is at
stake there in absolute numbers. Move a is kept if

.. math::

    b_{ha} > \beta \qquad \text{or} \qquad \max_{a'} v_{ha'} - v_{ha} < \lambda s_h + \delta s_0 ,

with :math:`s_0` what is at stake at the information set from which play came to h. The second term keeps what an
iterative solver cannot know: where the opponent hardly ever comes, its values are those of chance. Without it the first
programs move to where nothing was kept. Against the plans of a program, :math:`\delta = 0`. An information set below a
kept move keeps at least its best move, and nothing that was kept is dropped. The nearer the start is to an equilibrium,
the smaller :math:`\lambda` may be, and the smaller the programs; it doubles with every program, since rows that are
added one by one make many programs. Interior points serve better than vertices: they put weight on everything that can
be played. It ends with a proved gap only: that of full best responses in the whole game, after clipping and
renormalising the plans.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.optimization.solution import Solution
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.common.arguments import require_count, require_number
from equiform.models.common.array_types import BoolArray, FloatArray, Int32Array, IntArray
from equiform.models.common.errors import LimitError, UnsupportedGameError
from equiform.models.common.jit import jit
from equiform.models.payoffs.factored import FactoredPayoff, Factors
from equiform.models.sequence_form import SequenceForm
from equiform.models.strategy import Strategy
from equiform.models.treeplex import Treeplex

logger = logging.getLogger(__name__)

#: HiGHS's interior point method without crossover: points with full support, and no simplex steps on degenerate rows.
INTERIOR = SolverOptions("highs", algorithm="ipm", options={"run_crossover": "off", "ipm_optimality_tolerance": 1e-9})
#: The same for programs whose gap shows that much is missing: their last digits would be thrown away.
ROUGH = SolverOptions("highs", algorithm="ipm", options={"run_crossover": "off", "ipm_optimality_tolerance": 1e-5})
#: The gap, as a share of the payoffs' size, from which on digits count.
NEAR = 1e-4
#: Behaviour above which a move is kept, loss relative to the stakes below which it is, and its growth per program.
BEHAVIOR, LOSS, WIDER = 1e-3, 1e-3, 2.0
#: Loss relative to all that is at stake below which a move is kept against the start.
DOUBT = 3e-3


@dataclass(frozen=True)
class Round:
    """One program: its size, its solver's time and the gap that full best responses then proved."""

    moves: tuple[int, int]
    """Sequences that either player has in the restriction."""
    nonzeros: int
    gap: float
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"moves": list(self.moves), "nonzeros": self.nonzeros, "gap": self.gap, "seconds": self.seconds}


@dataclass(frozen=True, eq=False)
class GrowingResult:
    """The best profile found, with the bracket that full best responses prove."""

    game: str
    bracket: tuple[float, float]
    plans: tuple[FloatArray, FloatArray] = field(repr=False)
    strategies: tuple[Strategy, Strategy] = field(repr=False)
    rounds: tuple[Round, ...]
    stopped_by: str
    """``gap`` if the gap asked for is proved; otherwise ``rounds``, ``seconds`` or ``interrupt``."""

    @property
    def reached(self) -> bool:
        """Whether the gap asked for is proved."""
        return self.stopped_by == "gap"

    @property
    def gap(self) -> float:
        """The width of the bracket: the nash_conv of the profile."""
        return self.bracket[1] - self.bracket[0]

    @property
    def value(self) -> float:
        """The middle of the bracket."""
        return 0.5 * (self.bracket[0] + self.bracket[1])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "game": self.game,
            "value": self.value,
            "bracket": list(self.bracket),
            "gap": self.gap,
            "reached": self.reached,
            "stopped_by": self.stopped_by,
            "rounds": [r.to_dict() for r in self.rounds],
        }

    def require_reached(self) -> GrowingResult:
        """Return the result itself, or raise if the gap asked for is not proved."""
        if not self.reached:
            raise LimitError(
                f"the gap is {self.gap:g} after {len(self.rounds)} programs",
                where=self.game,
                fix="allow more rounds or time, or start from a better profile",
            )
        return self


def solve(
    game: SequenceForm,
    start: tuple[FloatArray, FloatArray],
    *,
    gap: float,
    max_rounds: int = 20,
    time_limit: float | None = None,
    behavior: float = BEHAVIOR,
    loss: float = LOSS,
    doubt: float = DOUBT,
    solver: SolverOptions | None = None,
    on_round: Callable[[Round], None] | None = None,
) -> GrowingResult:
    """Solve a game with a factored payoff to a proved gap.

    Parameters
    ----------
    game
        A sequence form whose payoff comes in factors (:func:`equiform.models.public.factors.factored_form`).
    start
        Realization plans of both players from which to begin. The nearer they are to an equilibrium, the smaller the
        programs: ten thousand iterations of CFR take less time than the first program without them.
    gap
        The nash_conv to prove, in payoffs.
    max_rounds, time_limit
        Programs, and seconds after which no further one begins; the best profile so far is then returned.
    behavior, loss, doubt
        When a move is kept: β, λ and δ above.
    solver
        How to solve the restrictions; the backend must return duals. By default HiGHS's interior point method, with few
        digits as long as the gap is large.
    on_round
        Called after each program. Ctrl-C ends the rounds with the best profile so far.
    """
    require_number(gap, "gap", "growing LP")
    require_count(max_rounds, "max_rounds", "growing LP")
    seat = _seat(game)
    limits = _Limits(gap, max_rounds, time_limit)
    kept = [np.zeros(t.num_sequences, dtype=bool) for t in game.treeplexes]
    plans, rule = start, _Rule(behavior, loss, doubt)
    best, proved = start, game.bracket(*start)
    rounds: list[Round] = []
    while not (stopped_by := limits.met(proved, len(rounds))):
        kept = [_grown(game, p, plans, kept[p], rule) for p in (0, 1)]
        rule = _Rule(1.0, WIDER * rule.loss, 0.0)
        try:
            plans, bracket, done = _round(game, seat, kept, solver or _digits(game, rounds))
        except KeyboardInterrupt:
            stopped_by = "interrupt"
            break
        rounds.append(done)
        logger.info("%s: round %d, %s", game.name, len(rounds), done)
        if on_round is not None:
            on_round(done)
        if done.gap < proved[1] - proved[0]:
            best, proved = plans, bracket
    first, second = (Strategy.from_plan(t, plan) for t, plan in zip(game.treeplexes, best, strict=True))
    return GrowingResult(game.name, proved, best, (first, second), tuple(rounds), stopped_by)


class _Seat(NamedTuple):
    """The player whose programs are solved: the one whose side of the payoff takes fewer sums."""

    player: int
    game: SequenceForm
    """The game with this player in seat 0."""
    factors: Factors


def _seat(game: SequenceForm) -> _Seat:
    """Choose the player; the game's payoff must come in factors."""
    if not isinstance(game.payoff, FactoredPayoff):
        raise UnsupportedGameError(
            f"the payoff of {game.name} does not come in factors",
            where=type(game.payoff).__name__,
            fix="use factored_form of a public game, or sequence_form_lp for a written-out payoff",
        )
    first = _Seat(0, game, game.payoff.factors())
    second = _Seat(1, game.flipped(), game.payoff.flipped().factors())
    return min(first, second, key=lambda seat: seat.factors.num_sums)


@dataclass(frozen=True)
class _Limits:
    """When to stop, on a clock that starts here."""

    gap: float
    max_rounds: int
    time_limit: float | None
    started: float = field(default_factory=time.perf_counter)

    def met(self, bracket: tuple[float, float], rounds: int) -> str:
        """Name the limit that is met, if any."""
        if bracket[1] - bracket[0] <= self.gap:
            return "gap"
        if rounds >= self.max_rounds:
            return "rounds"
        late = self.time_limit is not None and time.perf_counter() - self.started > self.time_limit
        return "seconds" if late else ""


def _round(
    game: SequenceForm, seat: _Seat, kept: list[BoolArray], solver: SolverOptions
) -> tuple[tuple[FloatArray, FloatArray], tuple[float, float], Round]:
    """Solve one restriction and judge its plans by full best responses."""
    clock = time.perf_counter()
    order = slice(None, None, -1 if seat.player else 1)
    (first, second), solution = _solve_restriction(seat.game, seat.factors, kept[order], solver)
    plans = (second, first) if seat.player else (first, second)
    bracket = game.bracket(*plans)
    moves = int(kept[0].sum()), int(kept[1].sum())
    nonzeros, seconds = int(solution.program.A.nnz), time.perf_counter() - clock
    return plans, bracket, Round(moves, nonzeros, bracket[1] - bracket[0], seconds)


def _digits(game: SequenceForm, rounds: list[Round]) -> SolverOptions:
    """Ask for few digits where the last program showed that moves are missing."""
    return ROUGH if rounds and rounds[-1].gap > NEAR * game.payoff_size else INTERIOR


class _Rule(NamedTuple):
    """When a move is kept."""

    behavior: float
    loss: float
    doubt: float


def _grown(
    game: SequenceForm, player: int, plans: tuple[FloatArray, FloatArray], kept: BoolArray, rule: _Rule
) -> BoolArray:
    """Add the moves that the player makes or nearly makes against the opponent's plan."""
    treeplex = game.treeplexes[player]
    gradient, stakes = game.gradient(player, plans[1 - player]), game.stakes(player, plans[1 - player])
    played = treeplex.behavior(plans[player])
    return _keep(treeplex.parent, treeplex.start, treeplex.infoset_of, gradient, stakes, played, kept, *rule)


def _solve_restriction(
    game: SequenceForm, factors: Factors, kept: list[BoolArray], solver: SolverOptions
) -> tuple[tuple[FloatArray, FloatArray], Solution]:
    """Solve the game on the kept moves; return plans of the whole game, clipped and renormalised."""
    parts = [_restricted(t, k) for t, k in zip(game.treeplexes, kept, strict=True)]
    columns, rows = (part[1] for part in parts)
    used = np.flatnonzero(np.diff(factors.combine[rows].tocsc().indptr) > 0)
    needed = _closure(factors.sums, used)
    small = Factors(
        factors.direct[rows][:, columns],
        factors.combine[rows][:, needed],
        factors.sums[needed][:, needed],
        factors.gather[needed][:, columns],
    )
    form = SequenceForm(
        game.name, (parts[0][0], parts[1][0]), FactoredPayoff(_Restricted(game, columns, rows), lambda _: small)
    )
    result = sequence_form_lp.solve(form, solver=solver)
    found = []
    for (part, places), treeplex, plan in zip(parts, game.treeplexes, result.plans, strict=True):
        assert plan is not None
        whole = np.zeros(treeplex.num_sequences)
        whole[places] = part.realization(part.behavior(plan))
        found.append(whole)
    return (found[0], found[1]), result.solution


@dataclass(frozen=True, eq=False)
class _Restricted:
    """The operator on kept moves only."""

    game: SequenceForm
    columns: IntArray
    rows: IntArray

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.columns), len(self.rows)

    def times(self, y: FloatArray) -> FloatArray:
        whole = np.zeros(self.game.treeplexes[1].num_sequences)
        whole[self.rows] = y
        return self.game.payoff.times(whole)[self.columns]

    def transpose_times(self, x: FloatArray) -> FloatArray:
        whole = np.zeros(self.game.treeplexes[0].num_sequences)
        whole[self.columns] = x
        return self.game.payoff.transpose_times(whole)[self.rows]

    def magnitude(self) -> _Restricted:
        assert isinstance(self.game.payoff, FactoredPayoff)
        size = SequenceForm(self.game.name, self.game.treeplexes, self.game.payoff.magnitude())
        return _Restricted(size, self.columns, self.rows)


def _restricted(treeplex: Treeplex, kept: BoolArray) -> tuple[Treeplex, IntArray]:
    """Return the treeplex of the kept moves, and where its sequences are in the whole one."""
    places = np.flatnonzero(kept)
    local = np.full(len(kept), -1, dtype=np.int64)
    local[places] = np.arange(len(places))
    infosets = np.unique(treeplex.infoset_of[places[1:]])
    sizes = np.bincount(treeplex.infoset_of[places[1:]], minlength=treeplex.num_infosets)[infosets]
    start = np.append(1, 1 + np.cumsum(sizes)).astype(np.int32)
    parent = local[treeplex.parent[infosets]].astype(np.int32)
    names = {size: tuple(map(str, range(size))) for size in set(sizes.tolist())}  # nobody reads them
    actions = [names[size] for size in sizes.tolist()]
    return Treeplex(treeplex.player, parent, start, range(len(infosets)), actions), places


def _closure(sums: sp.csr_array, used: IntArray) -> IntArray:
    """Add the sums that other sums continue."""
    wanted = np.zeros(sums.shape[0], dtype=bool)
    wanted[used] = True
    _reach(sums.indptr, sums.indices, wanted)
    return np.flatnonzero(wanted)


@jit
def _reach(indptr: IntArray, indices: IntArray, wanted: BoolArray) -> None:
    for row in range(len(wanted) - 1, -1, -1):
        if wanted[row]:
            for k in range(indptr[row], indptr[row + 1]):
                wanted[indices[k]] = True


@jit
def _keep(
    parent: Int32Array,
    start: Int32Array,
    infoset_of: Int32Array,
    gradient: FloatArray,
    stakes: FloatArray,
    played: FloatArray,
    kept: BoolArray,
    behavior: float,
    loss: float,
    doubt: float,
) -> BoolArray:
    value, stake = gradient.copy(), stakes.copy()
    best = np.empty(len(parent))
    at_stake = np.empty(len(parent))
    for h in range(len(parent) - 1, -1, -1):
        low, high = start[h], start[h + 1]
        best[h] = value[low:high].max()
        at_stake[h] = stake[low:high].max()
        value[parent[h]] += best[h]
        stake[parent[h]] += at_stake[h]
    grown = kept.copy()
    grown[0] = True
    doubtful = np.empty(len(parent))
    for h in range(len(parent)):
        low, high = start[h], start[h + 1]
        doubtful[h] = doubt * at_stake[h] if parent[h] == 0 else doubtful[infoset_of[parent[h]]]
        if not grown[parent[h]]:
            grown[low:high] = False
            continue
        for s in range(low, high):
            if played[s] > behavior or best[h] - value[s] <= loss * at_stake[h] + doubtful[h]:
                grown[s] = True
    return grown
