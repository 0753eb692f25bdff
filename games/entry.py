"""One line of the registry of games: a name, its parameters, and how the game is made from them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from equiform.models.common.parameters import Parameter, Value, offer, read_values, split_pairs, value_text
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm
from equiform.models.rules import Rules
from equiform.models.sequence_form import SequenceForm

Game: TypeAlias = ExtensiveGame | NormalForm | SequenceForm


@dataclass(frozen=True)
class GameEntry:
    """A game in the registry. ``build`` takes the parameters by name and returns rules or a finished game."""

    name: str
    summary: str
    build: Callable[..., Rules | Game]
    parameters: tuple[Parameter, ...] = ()
    example: str = ""
    aliases: tuple[str, ...] = ()  # earlier names, which keep working

    def spec(self, values: Mapping[str, Value]) -> str:
        """Return the shortest specification: only parameters that differ from their defaults."""
        changed = [f"{p.name}={value_text(values[p.name])}" for p in self.parameters if values[p.name] != p.default]
        return f"{self.name}:{','.join(changed)}" if changed else self.name

    def parse(self, text: str, spec: str) -> dict[str, Value]:
        """Read ``key=value,key=value``, filling in the defaults."""
        where = f"game {spec!r}"
        parts = filter(None, (part.strip() for part in text.split(",")))
        texts = split_pairs(parts, where=where, fix=offer(self.name, self.parameters))
        return read_values(self.name, self.parameters, texts, where)

    def load(self, values: Mapping[str, Value]) -> Game:
        """Build the game with all parameters given."""
        return dataclasses.replace(finished(self.build(**values)), name=self.spec(values))

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain data."""
        parameters = [p.to_dict() for p in self.parameters]
        return {"name": self.name, "summary": self.summary, "parameters": parameters, "example": self.example}


def finished(made: Any) -> Game:
    """Compile rules; pass a finished game through."""
    return made if isinstance(made, ExtensiveGame | NormalForm | SequenceForm) else compile_rules(made)
