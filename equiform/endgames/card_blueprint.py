r"""Blueprints by card abstraction: a coarse equilibrium of a two-round game, whose second round is then re-solved.

The games have one private and one public card (Leduc and its relatives). Ranks in the same group look alike; after the
public card a player still knows the group and sees whether the private card pairs. The equilibrium of that smaller
game, lifted, is a strategy for all of the full game: what an agent would bring to the table before it solves endgames.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from equiform.abstraction.information_abstraction import abstract_information
from equiform.endgames.cut import after_chance, cut
from equiform.endgames.methods import Blueprint
from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.common.arguments import require_count, require_counts, require_seed
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.extensive import ExtensiveGame
from equiform.models.strategy import Strategy

#: The group of each rank, from the lowest rank up.
Groups = tuple[int, ...]


def card_blueprint(
    game: ExtensiveGame, groups: tuple[Sequence[int], Sequence[int]], *, solver: SolverOptions = DEFAULT
) -> Blueprint:
    """Solve a card abstraction of a game with one public card, and cut the full game after that card.

    Parameters
    ----------
    game
        A tree whose information-set keys are (private rank, public rank or -1, betting), as Leduc's are.
    groups
        For each player the group of every rank.
    solver
        How to solve the abstract game.

    >>> from equiform.games.registry import load_game
    >>> found = card_blueprint(load_game("leduc"), ((0, 0, 1), (0, 0, 1)))
    >>> len(found.endgames), found.guarantee(0, found.strategies[0].plan) < -0.0856
    (15, True)
    """
    ranks = num_ranks(game)
    checked = [require_counts(g, "groups", game.name, length=ranks, least=0, most=ranks) for g in groups]

    def view(player: int, key: Any) -> Hashable:
        card, board, history = key
        return checked[player][card], card == board, history

    abstraction = abstract_information(game, view, name=f"{game.name}, {_words(checked[0])}-{_words(checked[1])}")
    result = sequence_form_lp.solve(abstraction.sequence_form, solver=solver)
    first, second = (
        Strategy(treeplex, abstraction.lift(p, s.floats))
        for p, (treeplex, s) in enumerate(zip(game.treeplexes, result.strategies, strict=True))
        if s is not None
    )
    return Blueprint.of(cut(game, after_chance(game, 2)), (first, second))


def groupings(ranks: int, *, neighbours: bool = True) -> list[Groups]:
    """List the choices to put ranks together: neighbouring ones, or any.

    >>> groupings(3)
    [(0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 2)]
    >>> groupings(3, neighbours=False)
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """
    found: list[Groups] = [(0,)]
    for _ in range(ranks - 1):
        found = [
            (*g, k) for g in found for k in range(g[-1] if neighbours else 0, (g[-1] if neighbours else max(g)) + 2)
        ]
    return found


def pick_groupings(ranks: int, count: int, *, seed: int) -> list[tuple[Groups, Groups]]:
    """Draw distinct pairs of groupings of neighbouring ranks, one per player.

    If there are fewer, any ranks may go together, and if there are still no more than asked for, all are taken. The
    finest grouping of both players is left out: it is hardly an abstraction.
    """
    require_count(count, "count", "groupings")
    choices = groupings(ranks)
    if len(choices) ** 2 <= count:
        choices = groupings(ranks, neighbours=False)
    pairs = [(first, second) for first in choices for second in choices][:-1]
    if len(pairs) <= count:
        return pairs
    rng = np.random.default_rng(require_seed(seed, "groupings"))
    return [pairs[k] for k in sorted(rng.choice(len(pairs), size=count, replace=False).tolist())]


def parse_groups(text: str, ranks: int) -> Groups:
    """Read groups of ranks such as ``0,0,1``.

    >>> parse_groups("0,0,1", 3)
    (0, 0, 1)
    """
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != ranks or min(numbers) < 0:
        raise ParameterError(
            f"{text!r} does not assign a group to each of {ranks} ranks",
            where="groups",
            fix=f"write {ranks} whole numbers separated by commas, from the lowest rank up",
        )
    return numbers


def num_ranks(game: ExtensiveGame) -> int:
    """Count the ranks of a game with one private and one public card, or refuse another game."""
    keys = game.infoset_keys
    if not all(isinstance(k, tuple) and len(k) == 3 and isinstance(k[0], int) for k in keys):
        raise UnsupportedGameError(
            f"{game.name} is not a game of one private and one public card",
            where="card blueprint",
            fix="use leduc or leduc-nl, or pass a strategy file as the blueprint",
        )
    return 1 + max(k[0] for k in keys)  # type: ignore[index]


def _words(groups: Sequence[int]) -> str:
    return ",".join(map(str, groups))
