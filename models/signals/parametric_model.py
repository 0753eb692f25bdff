r"""Parametric models: which plan is played in which interval of signals, and how the thresholds are ordered.

Ganzfried (2015), Definition 24: a model :math:`P = (T, Q, \prec)` assigns every player a sequence of regions with a
plan each, and a partial order on the thresholds between them. It is a *guess of the shape* of an equilibrium; the
numbers are left to a program. A model is written as text, thresholds named where they stand:

>>> model = ParametricModel.parse("example", ["BET a CHECK b BET", "CALL c FOLD"], order="a <= c <= b")
>>> model.regions[0], model.thresholds
(('BET', 'CHECK', 'BET'), (('a', 'b'), ('c',)))

Definitions 25 and 26 compare models: :meth:`ParametricModel.refines` and :meth:`ParametricModel.us_refines`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from equiform.models.common.array_types import BoolArray
from equiform.models.common.errors import GameError
from equiform.models.signals.signal_game import SignalGame


@dataclass(frozen=True)
class ParametricModel:
    """Regions (plans from the lowest signal up), named thresholds between them, and the order as pairs ``a <= b``."""

    name: str
    regions: tuple[tuple[str, ...], ...]
    thresholds: tuple[tuple[str, ...], ...]
    order: frozenset[tuple[str, str]] = field(default=frozenset())

    def __post_init__(self) -> None:
        if len(self.regions) != len(self.thresholds) or any(
            len(r) != len(t) + 1 for r, t in zip(self.regions, self.thresholds, strict=True)
        ):
            raise GameError(
                f"model {self.name!r}: regions and thresholds do not alternate",
                fix="use one threshold fewer than regions for each player",
            )
        names = self.names
        if len(set(names)) != len(names):
            raise GameError(f"model {self.name!r}: a threshold's name is used twice", fix="use unique names")
        unknown = {name for pair in self.order for name in pair} - set(names)
        if unknown:
            raise GameError(
                f"model {self.name!r}: the order mentions {sorted(unknown)}",
                fix=f"the thresholds are {', '.join(names)}",
            )

    @staticmethod
    def parse(name: str, players: Sequence[str], *, order: str = "") -> ParametricModel:
        """Read a model: one text per player (``PLAN threshold PLAN …``) and chains ``a <= b <= c; d <= b``."""
        regions, thresholds = [], []
        for text in players:
            words = text.split()
            if len(words) % 2 == 0:
                raise GameError(
                    f"model {name!r}: {text!r} does not begin and end with a plan",
                    fix="write PLAN threshold PLAN … PLAN",
                )
            regions.append(tuple(words[0::2]))
            thresholds.append(tuple(words[1::2]))
        pairs: set[tuple[str, str]] = set()
        for chain in filter(None, (c.strip() for c in order.split(";"))):
            links = [part.strip() for part in chain.replace("<=", "<").split("<")]
            if len(links) < 2 or not all(links):
                raise GameError(f"model {name!r}: {chain!r} is not a chain", fix="write a <= b <= c; d <= b")
            pairs |= set(itertools.pairwise(links))
        return ParametricModel(name, tuple(regions), tuple(thresholds), frozenset(pairs))

    # -- thresholds -----------------------------------------------------------------------------------------------

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All thresholds' names, player by player: the numbering used everywhere else."""
        return tuple(name for own in self.thresholds for name in own)

    @cached_property
    def owners(self) -> tuple[tuple[int, int], ...]:
        """For each threshold its player and its place (between regions ``place`` and ``place + 1``)."""
        return tuple((p, k) for p, own in enumerate(self.thresholds) for k in range(len(own)))

    def number(self, player: int, place: int) -> int:
        """Return a threshold's number."""
        return sum(len(own) for own in self.thresholds[:player]) + place

    @property
    def most_thresholds(self) -> int:
        """The largest number of thresholds of one player, T in equation (11.3)."""
        return max(len(own) for own in self.thresholds)

    @cached_property
    def precedes(self) -> BoolArray:
        """``precedes[k, l]``: threshold k may not lie above l (own order, given order, and what follows from them)."""
        n = len(self.names)
        index = {name: k for k, name in enumerate(self.names)}
        below = np.eye(n, dtype=bool)
        for own in self.thresholds:
            for a, b in itertools.pairwise(own):
                below[index[a], index[b]] = True
        for a, b in self.order:
            below[index[a], index[b]] = True
        for middle in range(n):
            below |= np.outer(below[:, middle], below[middle])
        return below

    @property
    def is_total(self) -> bool:
        """Whether any two thresholds of different players are ordered."""
        return bool((self.precedes | self.precedes.T).all())

    # -- fitting a game and each other ----------------------------------------------------------------------------

    def check(self, game: SignalGame) -> None:
        """Raise an error unless every region names a plan of its player."""
        if len(self.regions) != len(game.players):
            raise GameError(
                f"model {self.name!r} is for {len(self.regions)} players, {game.name} has {len(game.players)}",
                fix="describe every player",
            )
        for player, plans in enumerate(self.regions):
            for plan in plans:
                game.plan_index(player, plan)

    def refines(self, other: ParametricModel) -> bool:
        """Check Definition 25: the other's regions are, player by player, a subsequence of these."""
        return self._all_embeddings(other, at_most=None)

    def us_refines(self, other: ParametricModel) -> bool:
        """Check Definition 26: a refinement in which the subsequence is unique.

        >>> few = ParametricModel.parse("few", ["1 s 2"])
        >>> many = ParametricModel.parse("many", ["1 s 2 t 3 u 2"])
        >>> many.refines(few), many.us_refines(few)
        (True, False)
        """
        return self._all_embeddings(other, at_most=1)

    def _all_embeddings(self, other: ParametricModel, at_most: int | None) -> bool:
        if len(self.regions) != len(other.regions):
            return False
        counts = [count_embeddings(few, many) for few, many in zip(other.regions, self.regions, strict=True)]
        return all(c >= 1 and (at_most is None or c <= at_most) for c in counts)

    def embedding(self, other: ParametricModel) -> tuple[tuple[int, ...], ...]:
        """Return the places of the other's regions among these, player by player (the earliest that fit)."""
        if not self.refines(other):
            raise GameError(
                f"model {self.name!r} is not a refinement of {other.name!r}",
                fix="the refining model must contain the other's regions in their order",
            )
        places = []
        for few, many in zip(other.regions, self.regions, strict=True):
            at, own = -1, []
            for plan in few:
                at = many.index(plan, at + 1)
                own.append(at)
            places.append(tuple(own))
        return tuple(places)


def count_embeddings(few: Sequence[str], many: Sequence[str]) -> int:
    """Count the ways in which a sequence is a (not necessarily contiguous) subsequence of another."""
    ways = [1] + [0] * len(few)
    for item in many:
        for k in range(len(few), 0, -1):
            if few[k - 1] == item:
                ways[k] += ways[k - 1]
    return ways[-1]


def common_us_refinement(
    models: Iterable[ParametricModel], refinement: ParametricModel | None = None
) -> ParametricModel:
    """Check that a refinement US-refines all models, or find one among them; raise if there is none (cf. Theorem 8)."""
    candidates = list(models)
    for model in candidates if refinement is None else [refinement]:
        if all(model.us_refines(other) for other in candidates):
            return model
    raise GameError(
        "the models have no common US-refinement among them"
        if refinement is None
        else f"{refinement.name!r} is not a common US-refinement of the models",
        where=", ".join(m.name for m in candidates),
        fix="pass a model whose regions contain each of the others' as a unique subsequence, or solve them one by one",
    )
