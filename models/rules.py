"""The rules of a game: a small object that says who moves, which moves are legal and what the mover knows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

from equiform.models.common.errors import GameError
from equiform.models.common.rational import Number

CHANCE = -1
TERMINAL = -2


class Rules(Protocol):
    """The methods of a game. States can be anything; tuples are fastest."""

    @property
    def name(self) -> str:
        """The game's name; a plain attribute will do."""

    @property
    def players(self) -> Sequence[str]:
        """The players' names; a plain attribute will do."""

    def initial(self) -> Any:
        """Return the root state."""

    def turn(self, state: Any) -> int:
        """Return the player to move (from 0), ``CHANCE`` or ``TERMINAL``."""

    def actions(self, state: Any) -> Sequence[str]:
        """Return the labels of the moves at a player's or chance's node."""

    def probabilities(self, state: Any) -> Sequence[Number]:
        """Return chance's distribution over ``actions(state)``."""

    def next(self, state: Any, action: str) -> Any:
        """Return the state after a move."""

    def payoffs(self, state: Any) -> Sequence[Number]:
        """Return each player's payoff at a terminal state."""

    def infoset(self, state: Any) -> Hashable:
        """Return what the player to move knows: equal keys are one information set of that player."""

    def describe(self, key: Any) -> str:
        """Put an information-set key into words; different information sets of a player need different words."""


def require_rules(rules: Any) -> None:
    """Refuse rules that lack a method, before a walk fails somewhere in the tree."""
    if isinstance(rules, type):
        raise GameError(
            f"{rules.__name__} is a class of rules", where="rules", fix=f"pass an object: {rules.__name__}(…)"
        )
    asked = ("name", "players", "initial", "turn", "actions", "next", "payoffs", "infoset", "describe")
    missing = [what for what in asked if not hasattr(rules, what)]
    if missing:
        raise GameError(
            f"the rules have no {', '.join(missing)}",
            where=type(rules).__name__,
            fix="define what equiform.models.Rules asks for",
        )
