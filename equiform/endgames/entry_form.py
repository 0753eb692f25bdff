r"""One endgame in arrays: its entry form, and what trunk strategies and old strategies mean there.

The *entry form* is a sequence form of the endgame alone. Each player's first information set lists the classes in which
the player may enter (:attr:`equiform.endgames.cut.Cut.classes`); the rest are the player's information sets below.
Payoffs are weighted by chance, from the root of the whole game on. Whatever is computed here from a plan works for
floats and for Fractions (object arrays) alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.endgames.cut import Cut
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit
from equiform.models.extensive import ExtensiveGame, require_two_player_constant_sum
from equiform.models.payoffs.matrix import MatrixPayoff
from equiform.models.sequence_form import SequenceForm, chance_weighted_terms
from equiform.models.treeplex import Treeplex

#: Floats, or Fractions in an object array.
Vector = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Endgame:
    """One endgame of a two-player game: its entry form and its place in the whole game."""

    cut: Cut = field(repr=False)
    number: int
    form: SequenceForm = field(repr=False)
    sequences: tuple[IntArray, IntArray] = field(repr=False)
    """The sequence of the whole game that each sequence of the form is; for a class, the one that it is entered by."""

    @property
    def name(self) -> str:
        """The moves that lead there."""
        return self.cut.name(self.number)

    @cached_property
    def entries(self) -> IntArray:
        """The entries of this endgame, as indices into those of the cut."""
        return np.flatnonzero(self.cut.endgame_of_entry == self.number)

    def num_classes(self, player: int) -> int:
        """Count what a player may know on entering."""
        start = self.form.treeplexes[player].start
        return int(start[1] - start[0])

    def weights(self, player: int, plan: Vector) -> Vector:
        """Return how a plan of the whole game arrives in each class of its player."""
        return plan[self.sequences[player][1 : 1 + self.num_classes(player)]]

    def entry_reach(self, plans: Sequence[Vector | None]) -> Vector:
        """Return the probability of each entry under plans of the whole game; ``None`` leaves a player out."""
        cut, nodes = self.cut, self.cut.entries[self.entries]
        exact = any(plan is not None and plan.dtype == object for plan in plans)
        index, values = cut.game.chance_reach
        reach = np.array(values, dtype=object)[index[nodes]]
        reach = reach if exact else reach.astype(np.float64)
        for player, plan in enumerate(plans):
            if plan is not None:
                reach = reach * plan[cut.game.sequences[player, nodes]]
        return reach

    def class_reach(self, player: int, plan: Vector) -> Vector:
        """Return the probability of each class of a player by chance and the *other* player's plan."""
        plans = (None, plan) if player == 0 else (plan, None)
        reach = self.entry_reach(plans)
        sums = np.zeros(self.num_classes(player), dtype=reach.dtype)
        np.add.at(sums, self.cut.classes[player][self.entries], reach)
        return sums

    def conceded(self, player: int, plan: Vector) -> Vector:
        """Return what a plan of the whole game gets at least out of each class of the opponent."""
        own, other = player, 1 - player
        gradient = self._gradient(other, plan[self.sequences[own]])
        treeplex = self.form.treeplexes[other]
        kernel = _fractions_below if gradient.dtype == object else _floats_below
        return -kernel(treeplex.parent, treeplex.start, gradient)[1 : 1 + self.num_classes(other)]

    def _gradient(self, player: int, local: Vector) -> Vector:
        """Return what each sequence of a player earns against the other's weights, in floats or Fractions."""
        if local.dtype != object:
            earned: FloatArray = self.form.gradient(player, local)
            return earned
        payoff = self.form.matrix_payoff
        at, other = (payoff.rows, payoff.cols) if player == 0 else (payoff.cols, payoff.rows)
        sums = np.full(self.form.treeplexes[player].num_sequences, Fraction(0), dtype=object)
        sign = Fraction(1 if player == 0 else -1, payoff.denominator)
        np.add.at(sums, at, payoff.numerators.astype(object) * sign * local[other])
        return sums

    def local_behavior(self, player: int, behavior: Vector) -> Vector:
        """Return a behavioural strategy of the whole game as one of the form (its classes are filled uniformly)."""
        local = behavior[self.sequences[player]].copy()
        k = self.num_classes(player)
        local[1 : 1 + k] = Fraction(1, k) if local.dtype == object else 1.0 / k
        local[0] = 1 if local.dtype == object else 1.0
        return local

    def glue(self, player: int, behavior: Vector, local: Vector) -> Vector:
        """Return a behavioural strategy of the whole game with one of the form put in its place."""
        glued = behavior.copy()
        k = self.num_classes(player)
        glued[self.sequences[player][1 + k :]] = local[1 + k :]
        return glued


def endgames(cut: Cut) -> tuple[Endgame, ...]:
    """Return every endgame of a cut of a two-player constant-sum game."""
    game = cut.game
    require_two_player_constant_sum(len(game.players), game.is_constant_sum, game.name)
    return tuple(endgame(cut, k) for k in range(cut.num_endgames))


def endgame(cut: Cut, number: int) -> Endgame:
    """Return the entry form of one endgame."""
    if not 0 <= number < cut.num_endgames:
        raise ParameterError(
            f"there is no endgame {number}", where=cut.game.name, fix=f"use 0 to {cut.num_endgames - 1}"
        )
    game = cut.game
    leaves = game.terminals[cut.endgame_of_node[game.terminals] == number]
    parts = [_player_part(cut, number, p, leaves) for p in (0, 1)]
    denominator, numerators = chance_weighted_terms(game, leaves)
    first, second = (part.treeplex for part in parts)
    payoff = MatrixPayoff.from_terms(
        (first.num_sequences, second.num_sequences),
        parts[0].leaf_sequences,
        parts[1].leaf_sequences,
        numerators,
        denominator,
        (first.sequence_label, second.sequence_label),
    )
    form = SequenceForm(f"{game.name}, {cut.name(number)}", (first, second), payoff)
    return Endgame(cut, number, form, (parts[0].sequences, parts[1].sequences))


@dataclass(frozen=True, eq=False)
class _Part:
    treeplex: Treeplex
    sequences: IntArray
    leaf_sequences: IntArray


def _player_part(cut: Cut, number: int, player: int, leaves: IntArray) -> _Part:
    """Write one player's side: classes first, then the information sets of the endgame in their old order."""
    game, classes = cut.game, cut.classes[player]
    whole = game.treeplexes[player]
    inside = np.flatnonzero(cut.endgame_of_infoset[game.infosets_of[player]] == number)
    entries = np.flatnonzero(cut.endgame_of_entry == number)
    k = int(classes[entries].max()) + 1
    entered_by = np.empty(k, dtype=np.int64)
    entered_by[classes[entries]] = game.sequences[player, cut.entries[entries]]
    sizes = np.diff(whole.start)[inside]
    start = 1 + k + np.cumsum(np.append(0, sizes))
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    below = np.repeat(whole.start[inside], sizes) + within
    local = np.full(whole.num_sequences, -1, dtype=np.int64)
    local[below] = 1 + k + np.arange(len(below))
    class_of = _class_of_infosets(cut, player, inside)
    parent = local[whole.parent[inside]]
    parent = np.where(parent >= 0, parent, 1 + class_of)
    at_leaf = local[game.sequences[player, leaves]]
    treeplex = Treeplex(
        player=whole.player,
        parent=np.append(0, parent).astype(np.int32),
        start=np.append(1, start).astype(np.int32),
        infosets=("enter", *(whole.infosets[h] for h in inside.tolist())),
        actions=(
            tuple(_class_words(whole, inside, class_of, entered_by, c) for c in range(k)),
            *(whole.actions[h] for h in inside.tolist()),
        ),
        describe=_describe(game),
    )
    sequences = np.concatenate([[0], entered_by, below])
    return _Part(treeplex, sequences, np.where(at_leaf >= 0, at_leaf, 1 + classes[cut.entry_of_node[leaves]]))


def _class_of_infosets(cut: Cut, player: int, inside: IntArray) -> IntArray:
    """Return the class from which each of the given information sets of a player is reached."""
    game = cut.game
    nodes = np.flatnonzero((game.turn == player) & (cut.entry_of_node >= 0))
    of_infoset = np.full(game.num_infosets, -1, dtype=np.int64)
    of_infoset[game.infoset[nodes]] = cut.classes[player][cut.entry_of_node[nodes]]
    return of_infoset[game.infosets_of[player][inside]]


def _class_words(whole: Treeplex, inside: IntArray, class_of: IntArray, entered_by: IntArray, c: int) -> str:
    """Name a class by the first information set that it leads to, or else by the last move before it."""
    first = np.flatnonzero(class_of == c)
    return whole.infoset_label(int(inside[first[0]])) if len(first) else whole.sequence_label(int(entered_by[c]))


def _describe(game: ExtensiveGame) -> Any:
    return lambda key: "entering" if isinstance(key, str) and key == "enter" else game.describe(key)


def _fractions_below(parent: Any, start: Any, gradient: Any) -> Any:
    """Return what a unit of weight on each sequence is worth if all decisions below are best."""
    value = gradient.copy()
    for h in range(len(parent) - 1, 0, -1):
        best = value[start[h]]
        for s in range(start[h] + 1, start[h + 1]):
            best = max(best, value[s])
        value[parent[h]] += best
    return value


_floats_below = jit(_fractions_below)
