"""How a game is written down: a small object that answers who moves, what is legal and what everybody knows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol

from equiform.models.common.errors import GameError
from equiform.models.common.rational import Number

CHANCE = -1
TERMINAL = -2


class Rules(Protocol):
    """What a game must answer. States can be anything; tuples are fastest."""

    @property
    def name(self) -> str:
        """What to call the game; a plain attribute will do."""

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
        """Put an information-set key into words; must tell a player's information sets apart."""


def require_rules(rules: Any) -> None:
    """Say what rules lack before a walk does, somewhere in the tree."""
    if isinstance(rules, type):
        raise GameError(
            f"{rules.__name__} is a class of rules", where="rules", fix=f"give an object: {rules.__name__}(…)"
        )
    asked = ("name", "players", "initial", "turn", "actions", "next", "payoffs", "infoset", "describe")
    missing = [what for what in asked if not hasattr(rules, what)]
    if missing:
        raise GameError(
            f"the rules have no {', '.join(missing)}",
            where=type(rules).__name__,
            fix="define what equiform.models.Rules asks for",
        )
