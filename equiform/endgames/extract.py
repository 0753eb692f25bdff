r"""Endgames as games of their own, for every program that takes a game.

* :func:`endgame_game`: chance deals an entry by Bayes' rule from both trunk strategies, then the endgame is played.
  This is Definition 1, property 4 (Ganzfried 2015, §10.1).
* :func:`gadget_game`: chance deals by the player's trunk strategy alone; the opponent then sees the class and may
  terminate, for what a best response to the old strategy brings there (Burch, Johanson and Bowling 2014).
* :func:`margin_game`: the opponent chooses a class, chance deals what is compatible with it, and payoffs count from
  what the old strategy concedes in that class (Moravčík et al. 2016).

The linear programs of :mod:`equiform.formulations.endgames` are the sequence-form programs of these games with what is
known put in. As games they can be solved in rational numbers, refined, iterated on or drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from equiform.endgames.entry_form import Endgame, Vector
from equiform.endgames.grafting import Head, graft
from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.extensive import ExtensiveGame
from equiform.models.strategy import Strategy

#: Probabilities that are floats become integers of about so many bits over one denominator.
_BITS = 50


@dataclass(frozen=True, eq=False)
class EndgameGame:
    """An endgame as a game of its own, and the way back."""

    game: ExtensiveGame = field(repr=False)
    endgame: Endgame = field(repr=False)
    infosets: IntArray = field(repr=False)
    """The information set of the whole game that each one is; -1 for what was put on top."""

    def glue(self, player: int, behavior: Vector, strategy: Strategy) -> Vector:
        """Return a behavioural strategy of the whole game with one of this game put in its place."""
        whole, here = self.endgame.cut.game, self.game
        own = here.infosets_of[require_player(player, 2, here.name)]
        own = own[self.infosets[own] >= 0]
        sizes = np.array([len(moves) for moves in here.move_sets])[here.infoset_moves[own]]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        there = np.repeat(whole.first_sequence[self.infosets[own]], sizes) + within
        exact = strategy.is_exact or behavior.dtype == object
        glued = behavior.astype(object) if exact else behavior.copy()
        glued[there] = strategy.probabilities[np.repeat(here.first_sequence[own], sizes) + within]
        return glued


def endgame_game(endgame: Endgame, plans: Sequence[Vector]) -> EndgameGame:
    """Return the endgame with its entries dealt as two trunk plans lead there.

    Raises
    ------
    ParameterError
        If the plans never lead there.
    """
    reach = endgame.entry_reach(plans)
    nodes = endgame.cut.entries[endgame.entries]
    head = Head.of(endgame.cut.game)
    root = head.chance(-1, 0, _paths(endgame, nodes), _distribution(reach, endgame.name))
    head.attach(root, nodes)
    return _finish(endgame, head, f"{endgame.form.name}, as entered")


def gadget_game(endgame: Endgame, player: int, plan: Vector) -> EndgameGame:
    """Return the re-solve gadget for a player with this plan of the whole game."""
    game, nodes = endgame.cut.game, endgame.cut.entries[endgame.entries]
    other, classes, words, reach = _entered(endgame, player, plan)
    odds = _distribution(reach, endgame.name)
    head = Head.of(game)
    root = head.chance(-1, 0, _paths(endgame, nodes), odds)
    rate = _per_visit(endgame, player, plan)
    choices = [
        head.decision(root, k, other, ("gadget", int(c)), f"before {words[c]}", ("terminate", "follow"))
        for k, c in enumerate(classes.tolist())
    ]
    for choice, c in zip(choices, classes.tolist(), strict=True):
        head.leaf(choice, 0, _pay(player, rate.get(c, Fraction(0))))
    for choice, node in zip(choices, nodes.tolist(), strict=True):
        head.attach_one(choice, 1, node)
    return _finish(endgame, head, f"{endgame.form.name}, re-solved for {game.players[player]}")


def margin_game(endgame: Endgame, player: int, plan: Vector) -> EndgameGame:
    """Return the max-margin game for a player with this plan of the whole game."""
    game, nodes = endgame.cut.game, endgame.cut.entries[endgame.entries]
    other, classes, words, reach = _entered(endgame, player, plan)
    rate = _per_visit(endgame, player, plan)
    if not rate:
        _distribution(reach, endgame.name)  # raises
    head = Head.of(game)
    moves = tuple(f"{c}: {words[c]}" for c in rate)
    root = head.decision(-1, 0, other, ("margin",), "choosing a class", moves)
    for k, (c, old) in enumerate(rate.items()):
        here = np.flatnonzero(classes == c)
        deal = head.chance(root, k, _paths(endgame, nodes[here]), _distribution(reach[here], endgame.name))
        head.attach(deal, nodes[here], shift=_pay(player, -old))
    return _finish(endgame, head, f"{endgame.form.name}, margins for {game.players[player]}")


def _finish(endgame: Endgame, head: Head, name: str) -> EndgameGame:
    game, infosets = graft(head, endgame.cut.endgame_of_node == endgame.number, endgame.cut.entry_of_node, name)
    return EndgameGame(game, endgame, infosets)


def _entered(endgame: Endgame, player: int, plan: Vector) -> tuple[int, IntArray, Sequence[str], Vector]:
    """Return the opponent; the opponent's class at each entry and the words for classes; and each entry's reach."""
    other = 1 - require_player(player, 2, endgame.cut.game.name)
    classes = endgame.cut.classes[other][endgame.entries]
    reach = endgame.entry_reach((plan, None) if player == 0 else (None, plan))
    return other, classes, endgame.form.treeplexes[other].actions[0], reach


def _per_visit(endgame: Endgame, player: int, plan: Vector) -> dict[int, Fraction]:
    """Return what the old plan gets at least in each class of the opponent that is entered, per visit."""
    reach = endgame.class_reach(1 - player, plan)
    old = endgame.conceded(player, plan)
    return {c: Fraction(old[c]) / Fraction(reach[c]) for c in range(len(reach)) if reach[c] > 0}


def _pay(player: int, amount: Fraction) -> tuple[Fraction, Fraction]:
    return (amount, -amount) if player == 0 else (-amount, amount)


def _paths(endgame: Endgame, nodes: IntArray) -> tuple[str, ...]:
    return tuple(endgame.cut.game.path(node) for node in nodes.tolist())


def _distribution(weights: Vector, where: str) -> tuple[Fraction, ...]:
    """Normalise weights exactly; floats are rounded to integers first, so that denominators stay short."""
    total: Any = weights.sum()
    if not total > 0:
        raise ParameterError(
            "the trunk strategies never enter this endgame", where=where, fix="keep the old strategy there"
        )
    if weights.dtype != object:
        weights = np.rint(weights * (2.0**_BITS / float(weights.max()))).astype(np.int64).astype(object)
        total = sum(weights.tolist())
    return tuple(Fraction(w) / total for w in weights.tolist())
