r"""Qualitative models found automatically: which orders of action regions occur in solved instances?

S. Ganzfried, PhD thesis (CMU 2015), §11.8 and chapter 16, questions 16 and 17: the parametric program needs qualitative
models, and the thesis finds them by looking at solved games. Here that is done by code.

*Read.* Signals are rounded to finitely many, and the game is solved by the sequence-form program. Where several plans
are equally good for a range of signals, equilibria differ in looks only; among them one is chosen that is closest to a
pattern, a list of plans from the first signal to the last: with c(a) the nearest place of plan a in it,

.. math:: \max_x\; -\sum_{s, a} (s - c(a))^2\, x_{s a} .

For two plans that is linear in s, so that each is played on an interval. The places of the pattern that are used are a
player's regions; the order of the thresholds of different players is kept as far as all instances with the same regions
agree on it.

*Use.* The models found are tried on new inputs with the parametric program, the most frequent first; a model *covers*
an input if the program finds thresholds whose gain at any signal, computed without the program, is below a tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.parametric import milfp
from equiform.formulations.parametric.result import ParametricResult
from equiform.formulations.zero_sum import selection
from equiform.models.common.arguments import require_count
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import InfeasibleError, SolveError
from equiform.models.common.records import Record
from equiform.models.compile import compile_rules
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.models.signals.deals import Signals
from equiform.models.signals.extensive import SignalRules
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import SignalGame

#: The largest gain at any signal of thresholds that count as an equilibrium.
TOLERANCE = 1e-6
_PLAYED = 0.1  # a region holds at least this much of a signal

MakeGame = Callable[[Signals], SignalGame]


@dataclass(frozen=True, eq=False)
class ReadInstance:
    """One solved instance: each player's plans in the order of signals, and where they change."""

    regions: tuple[tuple[str, ...], ...]
    cuts: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, eq=False)
class FoundModel(Record):
    """A model, and how many of the instances it was read from."""

    model: ParametricModel
    instances: int


@dataclass(frozen=True, eq=False)
class Coverage(Record):
    """How far some models go on new inputs."""

    inputs: int
    covered: Mapping[str, int]
    """Inputs by the first model that fits."""
    largest_gain: float
    """The largest gain at any signal among covered inputs."""
    results: tuple[ParametricResult | None, ...] = field(default=(), repr=False)

    @property
    def share(self) -> float:
        """The share of inputs that some model covers."""
        return sum(self.covered.values()) / self.inputs

    def needed(self, share: float) -> int | None:
        """Return how many models, most useful first, cover a share of the inputs; ``None`` if all do not."""
        total = 0
        for count, covered in enumerate(sorted(self.covered.values(), reverse=True), 1):
            total += covered
            if total >= share * self.inputs:
                return count
        return None


def read_instance(
    make: MakeGame,
    signals: Signals,
    patterns: Sequence[Sequence[str]],
    *,
    cells: int = 20,
    solver: SolverOptions = DEFAULT,
) -> ReadInstance:
    """Solve a rounded instance and read off its regions.

    Parameters
    ----------
    make
        Returns the game for given signals.
    signals
        Continuous and independent.
    patterns
        Per player the most that a strategy may look like, from the first signal to the last, every plan at least once:
        "bluff with the worst hands" is a convention, without which one equilibrium has many looks.
    cells
        How many signals each player is dealt.
    """
    require_count(cells, "cells", "read_instance", least=4, most=500)
    game = make(signals.rounded(cells))
    form = sequence_form(compile_rules(SignalRules(game)).zero_sum())
    regions, cuts = [], []
    for player in (0, 1):
        table = _sorted_plan(form, player, game.plans[player], patterns[player], solver)
        own, at = _runs(table, game.plans[player], patterns[player])
        regions.append(own)
        cuts.append(at)
    return ReadInstance(tuple(regions), tuple(cuts))


def _sorted_plan(
    form: SequenceForm, player: int, plans: Sequence[str], pattern: Sequence[str], solver: SolverOptions
) -> FloatArray:
    """Return how often each plan is played at each signal, by the equilibrium strategy closest to a pattern."""
    treeplex = form.treeplexes[player]
    signals = np.array([float(str(key)) for key in treeplex.infosets])
    rewards = _rewards(len(signals), pattern)
    best = np.array([rewards[[k for k, p in enumerate(pattern) if p == plan]].max(axis=0) for plan in plans])
    functional: FloatArray = np.zeros(treeplex.num_sequences)
    for h, signal in enumerate(np.argsort(np.argsort(signals))):
        functional[int(treeplex.start[h]) : int(treeplex.start[h + 1])] = best[:, signal]
    found = selection.solve_functional(form, functional, player=player, solver=solver).best.plans[player]
    table: FloatArray = np.asarray(found)[1:].reshape(len(signals), len(plans))
    return table[np.argsort(signals)]


def _rewards(cells: int, pattern: Sequence[str]) -> FloatArray:
    """Return minus the squared distance of each place of the pattern from each signal, both on [0, 1]."""
    places = (np.arange(len(pattern)) + 0.5) / len(pattern)
    rewards: FloatArray = -((places[:, None] - (np.arange(cells) + 0.5)[None, :] / cells) ** 2)
    return rewards


def _runs(table: FloatArray, plans: Sequence[str], pattern: Sequence[str]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Assign every plan that is played to the nearest place of the pattern; the places used are the regions."""
    cells = len(table)
    rewards = _rewards(cells, pattern)
    weight = np.zeros(len(pattern))
    for k, plan in enumerate(plans):
        own = np.array([j for j, p in enumerate(pattern) if p == plan])
        nearest = own[rewards[own].argmax(axis=0)]
        np.add.at(weight, nearest, table[:, k])
    regions: list[str] = []
    cuts: list[float] = []
    at = 0.0
    for place, plan in enumerate(pattern):
        at += weight[place] / cells
        if weight[place] <= _PLAYED:
            continue
        if regions and regions[-1] == plan:
            cuts[-1] = at
        else:
            regions.append(plan)
            cuts.append(at)
    return tuple(regions), tuple(cuts[:-1])


def infer_models(instances: Iterable[ReadInstance], *, margin: float = 0.0) -> list[FoundModel]:
    """Group instances by their regions, and keep what they agree on about the thresholds; most frequent first.

    Two thresholds are ordered if all instances of the group order them by at least ``margin`` of the scale: rounding
    signals moves thresholds.
    """
    groups: dict[tuple[tuple[str, ...], ...], list[ReadInstance]] = {}
    for instance in instances:
        groups.setdefault(instance.regions, []).append(instance)
    found: list[FoundModel] = []
    for regions, members in sorted(groups.items(), key=lambda item: -len(item[1])):
        names = _names([len(own) - 1 for own in regions])
        agreed = reduce(frozenset.intersection, (_order(names, member.cuts, margin) for member in members))
        model = ParametricModel(f"model {len(found) + 1}", regions, names, agreed)
        found.append(FoundModel(model, len(members)))
    return found


def _names(counts: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(f"{'ab'[player]}{k + 1}" for k in range(count)) for player, count in enumerate(counts))


def _order(
    names: tuple[tuple[str, ...], ...], cuts: tuple[tuple[float, ...], ...], margin: float
) -> frozenset[tuple[str, str]]:
    """Return which thresholds of one player lie below which of the other by a margin."""
    pairs = set()
    for one, other in ((0, 1), (1, 0)):
        for name, at in zip(names[one], cuts[one], strict=True):
            for rival, there in zip(names[other], cuts[other], strict=True):
                if at + margin <= there:
                    pairs.add((name, rival))
    return frozenset(pairs)


def cover(
    make: MakeGame,
    models: Sequence[ParametricModel],
    inputs: Sequence[Signals],
    *,
    tolerance: float = TOLERANCE,
    solver: SolverOptions = DEFAULT,
) -> Coverage:
    """Try models on new inputs, in their order, and count which fits first."""
    covered = {model.name: 0 for model in models}
    results: list[ParametricResult | None] = []
    largest = 0.0
    for signals in inputs:
        fitting = _first_fit(make(signals), models, tolerance, solver)
        results.append(fitting)
        if fitting is not None:
            covered[fitting.model.name] += 1
            largest = max(largest, fitting.epsb_epsilon)
    return Coverage(len(inputs), covered, largest, tuple(results))


def _first_fit(
    game: SignalGame, models: Sequence[ParametricModel], tolerance: float, solver: SolverOptions
) -> ParametricResult | None:
    for model in models:
        try:
            result = milfp.solve(game, [model], preferences="all", solver=solver)
        except (InfeasibleError, SolveError):
            continue
        if result.epsb_epsilon <= tolerance:
            return result
    return None
