r"""Using an information abstraction: merge information sets, solve the smaller game, lift the strategy back.

An abstraction tells a player less than the rules do: a function of the player and an information-set key says what is
left of it. Merging the information sets with equal remainders gives an abstract game on the same tree. With perfect
recall it has a (smaller) sequence form for linear programming; without, it is still an extensive game for CFR on the
tree. A strategy of the abstract game is one of the full game that treats merged information sets alike, and there its
real exploitability is computed (Waugh et al. 2009; Ganzfried 2015, §8.5).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from equiform.models.common.arguments import require_callable, require_kind, require_player, require_sequence
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import ActionMismatchError, ParameterError, StrategyError
from equiform.models.evaluation import Evaluation, evaluate
from equiform.models.extensive import ExtensiveGame
from equiform.models.sequence_form import SequenceForm, sequence_form

#: What is left of an information-set key of a player.
InformationView = Callable[[int, Any], Hashable]


@dataclass(frozen=True, eq=False)
class InformationAbstraction:
    """A game, its abstraction, and which abstract information set each one belongs to."""

    full: ExtensiveGame = field(repr=False)
    abstract: ExtensiveGame = field(repr=False)
    infoset: Int32Array = field(repr=False)  # [full information set]: the abstract one

    @cached_property
    def sequence_form(self) -> SequenceForm:
        """The abstract game's sequence form; raises ImperfectRecallError where the abstraction makes players forget."""
        return sequence_form(self.abstract)

    def lift(self, player: int, behavior: FloatArray) -> FloatArray:
        """Lift an abstract behavioural strategy to the full game."""
        size = self.abstract.num_sequences(player)
        vector = require_numbers(behavior, "entries", f"abstract strategy of player {player + 1}")
        if vector.shape != (size,):
            raise StrategyError(
                f"the strategy has {vector.size} entries",
                where=f"player {player + 1}",
                fix=f"pass a one-dimensional array of {size}",
            )
        return np.append(1.0, vector[self.sequences(player)[1:]])

    def sequences(self, player: int) -> Int32Array:
        """Return the abstract sequence that each sequence of the full game stands for."""
        own = self.full.infosets_of[require_player(player, len(self.full.players), self.full.name)]
        counts = np.array([len(self.full.move_sets[m]) for m in self.full.infoset_moves[own]], dtype=np.int64)
        begin = self.abstract.first_sequence[self.infoset[own]].astype(np.int64)
        first = np.cumsum(counts) - counts
        within = np.arange(counts.sum()) - np.repeat(first, counts)
        return np.append(0, np.repeat(begin, counts) + within)

    def evaluate(self, behaviors: Sequence[FloatArray]) -> Evaluation:
        """Measure a profile of abstract strategies in the full game."""
        given = require_sequence(behaviors, "behaviors", self.abstract.name)
        if len(given) != len(self.full.players):
            raise StrategyError(
                f"{len(given)} strategies do not make a profile",
                where=self.abstract.name,
                fix=f"pass {len(self.full.players)}, one per player",
            )
        return evaluate(self.full, [self.lift(p, b) for p, b in enumerate(given)])


def abstract_information(game: ExtensiveGame, view: InformationView, *, name: str = "") -> InformationAbstraction:
    """Merge the information sets that look the same to a player under a view.

    Parameters
    ----------
    game
        The full game.
    view
        ``view(player, key)`` returns what is left of an information set's key, something hashable.
    name
        The abstract game's name.

    Raises
    ------
    ActionMismatchError
        If merged information sets offer different moves.
    ParameterError
        If a view returns something that is not hashable.

    Examples
    --------
    >>> from equiform.games.poker.kuhn import Kuhn
    >>> from equiform.models.compile import compile_rules
    >>> blind = abstract_information(compile_rules(Kuhn()), lambda player, key: key[1:])    # nobody looks at the cards
    >>> blind.full.num_infosets, blind.abstract.num_infosets
    (12, 4)
    """
    require_kind(game, ExtensiveGame, "game", "information abstraction")
    require_callable(view, "view", "information abstraction")
    require_kind(name, str, "name", "information abstraction")
    mapped, chosen, keys = _merged_infosets(game, view)
    members: dict[tuple[int, Hashable], list[int]] = {}
    for h, number in enumerate(mapped.tolist()):
        members.setdefault((int(game.infoset_player[h]), keys[number]), []).append(h)
    words = {
        key: " or ".join(dict.fromkeys(game.describe(game.infoset_keys[h]) for h in group))
        for (_, key), group in members.items()
    }
    abstract = replace(
        game,
        name=name or f"{game.name}, abstracted",
        infoset=np.where(game.infoset >= 0, mapped[game.infoset], -1).astype(np.int32),
        infoset_player=game.infoset_player[chosen],
        infoset_moves=game.infoset_moves[chosen],
        infoset_keys=keys,
        describe=lambda key: words.get(key, str(key)),
    )
    return InformationAbstraction(game, abstract, mapped)


def _merged_infosets(game: ExtensiveGame, view: InformationView) -> tuple[Int32Array, IntArray, tuple[Hashable, ...]]:
    """Return each information set's abstract one, and of each abstract one a member and the key."""
    numbers: dict[tuple[int, Hashable], int] = {}
    examples: list[int] = []
    mapped = np.empty(game.num_infosets, dtype=np.int32)
    for h, (player, key) in enumerate(zip(game.infoset_player.tolist(), game.infoset_keys, strict=True)):
        left = (player, view(player, key))
        try:
            number = numbers.setdefault(left, len(numbers))
        except TypeError:
            raise ParameterError(
                f"a view returns {left[1]!r}"[:200],
                where=game.describe(key),
                fix="return something hashable: numbers, strings or tuples of them",
            ) from None
        mapped[h] = number
        if number == len(examples):
            examples.append(h)
        elif game.infoset_moves[examples[number]] != game.infoset_moves[h]:
            raise ActionMismatchError(
                "an abstraction merges information sets with different moves",
                where=f"{game.describe(key)!r} and {game.describe(game.infoset_keys[examples[number]])!r}",
                fix="let the view keep the betting",
            )
    return mapped, np.array(examples, dtype=np.int64), tuple(key for _, key in numbers)
