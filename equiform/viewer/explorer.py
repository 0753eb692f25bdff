"""The page of a game: its tree, one or more profiles, and what is proved about them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from equiform.models.common.errors import ParameterError
from equiform.models.game import Game
from equiform.viewer.document import ShownCurve, ShownProfile, explorer_document
from equiform.viewer.page import Page


@dataclass(frozen=True, eq=False)
class Explorer(Page):
    """A page about one game and one or more profiles of it.

    Parameters
    ----------
    game
        The game.
    profiles
        What to show; the page compares any two of them.
    curve
        A curve with a point per profile.
    """

    game: Game
    profiles: tuple[ShownProfile, ...] = field(repr=False)
    curve: ShownCurve | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.profiles:
            raise ParameterError("there is nothing to show", where=self.game.name, fix="pass at least one profile")
        object.__setattr__(self, "profiles", _told_apart(self.profiles))

    @property
    def title(self) -> str:
        """What the page is called."""
        return self.game.name

    @cached_property
    def document(self) -> dict[str, Any]:
        """The data of the page."""
        return explorer_document(self.game, self.profiles, self.curve)


def _told_apart(profiles: Sequence[ShownProfile]) -> tuple[ShownProfile, ...]:
    """Number the titles that occur more than once."""
    seen: dict[str, int] = {}
    named = []
    for profile in profiles:
        number = seen[profile.title] = seen.get(profile.title, 0) + 1
        named.append(profile if number == 1 else dataclasses.replace(profile, title=f"{profile.title} ({number})"))
    return tuple(named)
