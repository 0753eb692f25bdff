r"""Matches: one agent against many opponents of a kind, side by side, with figures one can trust.

* *Common random numbers*: opponent i is the same strategy and is dealt the same cards for every agent
  (:mod:`equiform.play.common_random`), so that agents can be compared match by match.
* *Duplicate deals*: with ``duplicate=True`` every match is played from both seats with the same cards, which takes out
  most of the luck of the deal.
* *Intervals*: a match is one observation. The 95% interval is 1.96 standard errors of the means of matches, so that the
  spread of the opponents counts and not only that of the cards.
* *Expectation*: in addition to what was won, a match keeps what the strategies played were worth against each other.

Opponents are split into chunks, each a task (:mod:`equiform.runs`): played in this process or in several, stored one by
one, and read instead of played again when a match goes on. The split depends on the game and the number of hands alone,
so that a match has the same figures, bit for bit, wherever and in however many pieces it is played.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.arguments import require_count, require_name, require_player
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import FormatError, ParameterError, RunError
from equiform.models.common.files import require_writable_folder
from equiform.play.agents.observations import observe
from equiform.play.agents.registry import AGENTS, make_agent
from equiform.play.agents.restart import Restarting
from equiform.play.agents.safe_agents import Agent, Round, Setting
from equiform.play.agents.ties import MOVE_TIES, TIES
from equiform.play.batches import behaviors_of, realizations
from equiform.play.common_random import match_key
from equiform.play.hands import play_hands
from equiform.play.interim import Interim, discard, hands_per_span, stored_array, stored_count
from equiform.play.opponents.classes import OPPONENTS, PATIENCE, Opponent, make_opponents
from equiform.play.seat import Seat, take_seat
from equiform.runs.batch import run_tasks
from equiform.runs.executor import Executor
from equiform.runs.fingerprint import game_fingerprint
from equiform.runs.progress import Listener, silent
from equiform.runs.task import Task, Values

#: Opponents that are played side by side in a small game.
CHUNK = 250
#: Information sets up to which a game is small here: its programs are solved on a tableau, for all opponents at once.
SMALL_GAME = 100
#: Hands that one task plays in other games.
HANDS_PER_CHUNK = 1000


@dataclass(frozen=True)
class MatchSpec:
    """Who plays whom at what, and how long: all that a match's figures depend on."""

    game: str
    agent: str
    opponent: str
    hands: int = 1000
    opponents: int = 1000
    seed: int = 1
    player: int = 0
    showing: str = "shown"
    duplicate: bool = False
    ties: str = "last"
    """How the agent breaks ties (:data:`equiform.play.agents.ties.TIES`)."""
    nemesis_ties: str = "last"
    """How opponents that respond to the agent do."""
    whole_prior: bool = False
    """Whether the fictitious hands of the agent's model are whole ones, rounded down."""
    restart: bool = False
    """Whether the agent forgets its model and its gifts at the hand at which a dynamic opponent turns."""

    def __post_init__(self) -> None:
        for name in ("hands", "opponents"):
            require_count(getattr(self, name), name, "match")
        require_player(self.player, 2, "a match")
        match_key(self.seed, 0)  # refuses what is not a seed
        require_name(self.ties, TIES, "way to break ties", "match")
        require_name(self.nemesis_ties, MOVE_TIES, "way to break ties", "match: nemesis")
        require_name(self.agent, AGENTS, "agent", "match")
        require_name(self.opponent, OPPONENTS, "opponent", "match")
        if self.restart and self.opponent != "dynamic":
            raise ParameterError(
                f"the opponent is {self.opponent!r}", where="restart", fix="only a dynamic opponent turns in mid-match"
            )


@dataclass(frozen=True, eq=False)
class Estimate:
    """A mean over matches and the half width of its 95% interval."""

    mean: float
    half_width: float

    @staticmethod
    def of(samples: FloatArray) -> Estimate:
        """Estimate from independent samples; the width is infinite from one sample alone."""
        if len(samples) < 2:
            return Estimate(float(samples.mean()), math.inf)
        return Estimate(float(samples.mean()), 1.96 * float(samples.std(ddof=1)) / math.sqrt(len(samples)))

    def agrees(self, other: Estimate) -> bool:
        """Whether the difference of two independent estimates is within its own 95% interval."""
        return abs(self.mean - other.mean) <= math.hypot(self.half_width, other.half_width)

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.half_width:.4f}"


@dataclass(frozen=True, eq=False)
class Scores:
    """Means per hand, one entry per match; with duplicate deals a match is both seats together."""

    won: FloatArray
    worth: FloatArray
    """In expectation: the strategies played against each other."""
    least_gifts: FloatArray
    """The lowest k of each match."""


@dataclass(frozen=True, eq=False)
class Trace:
    """One match hand by hand: profit so far and k before each hand."""

    profit: FloatArray
    gifts: FloatArray


@dataclass(frozen=True, eq=False)
class MatchResult:
    """All matches of an agent against opponents of a kind."""

    spec: MatchSpec
    value: float
    """What the game is worth to the agent (the mean of both seats with duplicate deals)."""
    scores: Scores = field(repr=False)
    interrupted: bool = False
    """Whether Ctrl-C ended the match before all opponents were met; the figures are of those that were."""

    @property
    def won(self) -> Estimate:
        """What was won per hand."""
        return Estimate.of(self.scores.won)

    @property
    def worth(self) -> Estimate:
        """The same in expectation over the cards and moves of each hand."""
        return Estimate.of(self.scores.worth)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data for JSON."""
        document = {
            "agent": self.spec.agent,
            "opponent": self.spec.opponent,
            "hands": self.spec.hands,
            "opponents": self.spec.opponents,
            "seed": self.spec.seed,
            "value": self.value,
            "won": [self.won.mean, _finite(self.won.half_width)],
            "worth": [self.worth.mean, _finite(self.worth.half_width)],
            "least_gifts": _finite(float(self.scores.least_gifts.min())),
        }
        return document | ({"finished": len(self.scores.won)} if self.interrupted else {})


def play_match(
    spec: MatchSpec,
    *,
    on: Executor | str = "local",
    checkpoint: str | Path | None = None,
    progress: Listener = silent,
    chunk: int | None = None,
) -> MatchResult:
    """Play a match.

    Parameters
    ----------
    spec : MatchSpec
    on : Executor or str
        ``local``, ``processes:N`` or an executor.
    checkpoint : path, optional
        A folder in which finished chunks are kept and from which a match goes on; of chunks that take long, the state
        every few seconds as well. They are identified by the content of the game, the rest of ``spec`` and the code
        that played them.
    progress : callable
        Called with a :class:`~equiform.runs.progress.Progress` that counts opponents.
    chunk : int, optional
        Opponents per task; by default :func:`chunk_size`.

    Returns
    -------
    MatchResult
        After Ctrl-C, of the matches that were finished.

    Raises
    ------
    RunError
        After Ctrl-C before any match was finished.

    >>> result = play_match(MatchSpec("rpst", "rwywe", "random", hands=50, opponents=20))
    >>> bool(result.scores.least_gifts.min() > -1e-9)
    True
    """
    seats = _seats(spec)
    size = chunk_size(seats[0], spec.hands) if chunk is None else require_count(chunk, "chunk", "match")
    kept = "" if checkpoint is None else str(require_writable_folder(checkpoint).resolve())
    tasks = [
        chunk_task(spec, first, min(size, spec.opponents - first), kept) for first in range(0, spec.opponents, size)
    ]
    batch = run_tasks(tasks, on=on, store=checkpoint, progress=progress, label=f"{spec.agent} against {spec.opponent}")
    if kept:
        discard(kept, (task for task, v in zip(tasks, batch.values, strict=True) if v is not None))
    found = [_scores(v, task.weight) for task, v in zip(tasks, batch.values, strict=True) if v is not None]
    if not found:
        raise RunError("interrupted before any match was finished", where=f"{spec.agent} against {spec.opponent}")
    together = Scores(*(np.concatenate([getattr(s, f) for s in found]) for f in ("won", "worth", "least_gifts")))
    return MatchResult(spec, float(np.mean([seat.value for seat in seats])), together, batch.interrupted)


def chunk_size(seat: Seat, hands: int) -> int:
    """Return how many opponents one task takes: many in small games, few in games whose programs take long.

    It is chosen so that a task ends within seconds, and with it the time between two stored results.
    """
    if seat.own.num_infosets + seat.opponent.num_infosets <= SMALL_GAME:
        return CHUNK
    return max(1, min(CHUNK, HANDS_PER_CHUNK // hands))


def chunk_task(spec: MatchSpec, first: int, count: int, kept: str = "") -> Task:
    """Return the task of the matches against ``count`` opponents from number ``first`` on.

    How many opponents there are in all does not matter to it, nor what the game is called, nor the folder in which
    states are kept.
    """
    arguments = {name: value for name, value in asdict(spec).items() if name != "opponents"}
    numbers = {"first": first, "count": count, "kept": kept}
    return Task(
        "equiform.play.match:play_chunk",
        {**arguments, "fingerprint": game_fingerprint(seat_of(spec.game, spec.player).game), **numbers},
        content={"game": "see fingerprint", "kept": "anywhere"},
        label=f"{spec.agent}-{spec.opponent}",
        weight=count,
    )


def play_chunk(*, first: int, count: int, kept: str, fingerprint: str, **spec: Any) -> dict[str, FloatArray]:
    """Play the matches against some of the opponents; return the arrays of :class:`Scores` by name.

    What is reached is saved in the folder ``kept`` now and then.

    ``least_gifts`` is left out for agents that do not count gifts. A game that is not the one that was asked for (its
    file changed meanwhile) is refused.
    """
    asked = MatchSpec(opponents=first + count, **spec)
    seats = _seats(asked)
    if game_fingerprint(seats[0].game) != fingerprint:
        raise RunError("the game has changed since the match began", where=asked.game, fix="play again from the start")
    task, numbers = chunk_task(asked, first, count), np.arange(first, first + count)
    played = [_play_seat(asked, seat, numbers, Interim(kept, task, k)) for k, seat in enumerate(seats)]
    scores = {
        "won": np.mean([s.won for s in played], axis=0),
        "worth": np.mean([s.worth for s in played], axis=0),
        "least_gifts": np.min([s.least_gifts for s in played], axis=0),
    }
    if np.isnan(scores["least_gifts"]).all():
        del scores["least_gifts"]
    return scores


def _scores(values: Values, count: int) -> Scores:
    """Read what :func:`play_chunk` returned, perhaps long ago."""
    found = {"least_gifts": np.full(count, np.nan), **values}
    names = ("won", "worth", "least_gifts")
    if set(found) != set(names) or any(getattr(found[n], "shape", None) != (count,) for n in names):
        raise FormatError("stored matches do not fit", where=", ".join(found), fix="delete the folder and play again")
    return Scores(*(found[n] for n in names))


def trace_match(spec: MatchSpec, opponent: int = 0) -> Trace:
    """Play one match and keep its profit and k hand by hand (Figures 13.10 and 13.11)."""
    seat = seat_of(spec.game, spec.player)
    profit, gifts = np.zeros(spec.hands), np.zeros(spec.hands)
    total = 0.0
    for number, before, played, _ in _hands(spec, seat, np.array([opponent]), _agent(spec, seat, 1)):
        total += float(played.payoffs[0])
        profit[number], gifts[number] = total, before[0]
    return Trace(profit, gifts)


def play_rounds(
    seat: Seat, agent: Agent, opponent: Opponent, keys: NDArray[np.uint64], hands: int, first: int = 0
) -> Iterator[tuple[int, FloatArray, Round, FloatArray]]:
    """Let an agent meet its opponents hand by hand, from hand ``first`` on.

    Yields the hand's number, k before it, what was played and what that was worth in expectation.
    """
    for number in range(first, hands):
        before = agent.gifts.copy()
        plans = agent.choose(number)
        behaviors = opponent.choose(number, plans)
        leaves = play_hands(seat, behaviors_of(seat.own, plans), behaviors, keys, number)
        played = Round(number, plans, leaves, seat.tree.payoff[leaves])
        worth = np.einsum("ij,ij->i", plans, seat.gradients(realizations(seat.opponent, behaviors)))
        agent.learn(played)
        yield number, before, played, worth


def _agent(spec: MatchSpec, seat: Seat, matches: int) -> Agent:
    setting = Setting(seat, observe(seat, spec.showing), matches, spec.hands, spec.ties, spec.whole_prior)
    if spec.restart:
        return Restarting(lambda: make_agent(spec.agent, setting), PATIENCE)
    return make_agent(spec.agent, setting)


def _hands(
    spec: MatchSpec, seat: Seat, numbers: IntArray, agent: Agent, first: int = 0
) -> Iterator[tuple[int, FloatArray, Round, FloatArray]]:
    opponent = make_opponents(seat, spec.opponent, numbers, spec.seed, spec.nemesis_ties)
    keys = np.array([match_key(spec.seed, int(i)) for i in numbers], dtype=np.uint64)
    return play_rounds(seat, agent, opponent, keys, spec.hands, first)


def _play_seat(spec: MatchSpec, seat: Seat, numbers: IntArray, interim: Interim) -> Scores:
    """Play to the end, from the state that was saved if there is one; Ctrl-C saves the state of the last span."""
    agent, span = _agent(spec, seat, len(numbers)), hands_per_span(seat, len(numbers))
    first, won, worth, least = 0, np.zeros(len(numbers)), np.zeros(len(numbers)), np.full(len(numbers), np.inf)
    if (state := interim.read()) is not None:
        first = stored_count(state, "hands", spec.hands)
        won, worth = (stored_array(state, name, won) for name in ("won", "worth"))
        least = stored_array(state, "least", least) if "least" in state else np.full(len(numbers), np.nan)
        agent.restore(state)
    try:
        for number, before, played, expected in _hands(spec, seat, numbers, agent, first):
            won += played.payoffs
            worth += expected
            least = np.minimum(least, before)
            if (number + 1) % span == 0:
                counted = {} if np.isnan(least).any() else {"least": least}
                interim.offer({"hands": number + 1, "won": won, "worth": worth, **counted, **agent.state()})
    except KeyboardInterrupt:
        interim.save()
        raise
    return Scores(won / spec.hands, worth / spec.hands, least)


def _seats(spec: MatchSpec) -> list[Seat]:
    return [seat_of(spec.game, p) for p in ((0, 1) if spec.duplicate else (spec.player,))]


@lru_cache(maxsize=8)
def seat_of(game: str, player: int) -> Seat:
    """Take a seat, or the same one again."""
    return take_seat(game, player)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
