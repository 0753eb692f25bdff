"""Stochastic games written out: matrix stages with exact numbers, and their JSON format.

.. code-block:: json

    {"format": "equiform-stochastic", "version": 1, "name": "big match", "players": ["one", "two"], "discount": "4/5",
     "states": {"playing": {
        "actions": [["stay", "leave"], ["left", "right"]],
        "outcomes": [
          {"actions": ["stay", "left"], "payoffs": [0, 0], "next": {"playing": 1}},
          {"actions": ["stay", "right"], "payoffs": ["1/5", "-1/5"], "next": {"playing": 1}},
          {"actions": ["leave", "left"], "payoffs": [1, -1]},
          {"actions": ["leave", "right"], "payoffs": [0, 0]}]}}}

An outcome without ``next`` ends the game. Probabilities and payoffs are numbers or texts such as ``"1/3"``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from equiform.models.common.errors import ChanceError, FormatError, GameError
from equiform.models.common.files import read_json, write_text
from equiform.models.common.rational import as_fraction, exact_text, parse_fraction
from equiform.models.stochastic.game import StochasticGame
from equiform.models.stochastic.outcomes import Outcomes
from equiform.models.stochastic.tree_stages import matrix_stages

FORMAT, VERSION = "equiform-stochastic", 1


@dataclass(frozen=True)
class ExplicitOutcome:
    """What one joint action pays, and where it leads: nowhere if the game ends."""

    payoffs: tuple[Fraction, ...]
    next: Mapping[str, Fraction] = field(default_factory=dict)


@dataclass(frozen=True)
class ExplicitState:
    """The actions of all players and an outcome per joint action."""

    actions: tuple[tuple[str, ...], ...]
    outcomes: Mapping[tuple[str, ...], ExplicitOutcome]


@dataclass(frozen=True)
class ExplicitStochasticGame:
    """A stochastic game in exact numbers."""

    name: str
    players: tuple[str, ...]
    states: Mapping[str, ExplicitState]
    discount: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not 0 < self.discount <= 1:
            raise GameError(f"the discount is {self.discount}", where=self.name, fix="use a number above 0, at most 1")
        if not self.states:
            raise GameError("a stochastic game without states", where=self.name, fix="describe at least one state")
        for name, state in self.states.items():
            self._check(name, state)

    def _check(self, name: str, state: ExplicitState) -> None:
        where = f"{self.name}, state {name!r}"
        if len(state.actions) != len(self.players) or any(not a for a in state.actions):
            raise GameError(
                f"actions of {len(state.actions)} players", where=where, fix="list at least one action per player"
            )
        for joint in product(*state.actions):
            outcome = state.outcomes.get(joint)
            if outcome is None:
                raise GameError(f"nothing follows {', '.join(joint)}", where=where, fix="describe every joint action")
            if len(outcome.payoffs) != len(self.players):
                raise GameError(f"{len(outcome.payoffs)} payoffs", where=f"{where}, {joint}", fix="pass one per player")
            unknown = [t for t in outcome.next if t not in self.states]
            if unknown:
                raise GameError(f"there is no state {unknown[0]!r}", where=f"{where}, {joint}", fix="describe it")
            total = sum(outcome.next.values())
            if outcome.next and (total != 1 or min(outcome.next.values()) < 0):
                raise ChanceError(
                    f"probabilities sum to {total}",
                    where=f"{where}, {', '.join(joint)}",
                    fix="let them be positive and sum to one; leave `next` out where the game ends",
                )
        if len(state.outcomes) != np.prod([len(a) for a in state.actions]):
            extra = next(j for j in state.outcomes if j not in set(product(*state.actions)))
            raise GameError(
                f"{', '.join(extra)} is not a joint action", where=where, fix="use the actions of the state"
            )

    def compile(self) -> StochasticGame:
        """Return the game in arrays, in floats."""
        seats, names = len(self.players), list(self.states)
        rewards: list[list[float]] = []
        rows: list[int] = []
        columns: list[int] = []
        chances: list[float] = []
        sizes: list[int] = []
        for state in self.states.values():
            joints = list(product(*state.actions))
            sizes.append(len(joints))
            for joint in joints:
                outcome = state.outcomes[joint]
                for successor, chance in outcome.next.items():
                    for seat in range(seats):
                        rows.append(len(rewards) * seats + seat)
                        columns.append(names.index(successor) * seats + seat)
                        chances.append(float(chance))
                rewards.append([float(p) for p in outcome.payoffs])
        shape = (len(rewards) * seats, len(names) * seats)
        outcomes = Outcomes(
            np.concatenate([[0], np.cumsum(sizes)]),
            np.array(rewards),
            sp.csr_array((chances, (rows, columns)), shape=shape),
        )
        stages = matrix_stages(self.name, [state.actions for state in self.states.values()], self.players)
        return StochasticGame(self.name, self.players, tuple(names), stages, outcomes, float(self.discount))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "name": self.name,
            "players": list(self.players),
            "discount": exact_text(self.discount),
            "states": {
                name: {
                    "actions": [list(a) for a in state.actions],
                    "outcomes": [
                        {
                            "actions": list(joint),
                            "payoffs": [exact_text(p) for p in outcome.payoffs],
                            **({"next": {t: exact_text(q) for t, q in outcome.next.items()}} if outcome.next else {}),
                        }
                        for joint, outcome in state.outcomes.items()
                    ],
                }
                for name, state in self.states.items()
            },
        }

    def write(self, path: str | Path) -> None:
        """Write the JSON file in one step."""
        write_text(path, json.dumps(self.to_dict(), indent=1, ensure_ascii=False))

    @staticmethod
    def from_dict(content: Any) -> ExplicitStochasticGame:
        """Read plain values back; what is missing is named."""
        if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
            raise FormatError(
                "not a stochastic game", where="format", fix=f"expected format {FORMAT!r}, version {VERSION}"
            )
        at = "the game"
        try:
            states = {}
            for name, state in content["states"].items():
                at = f"state {name!r}"
                states[name] = ExplicitState(
                    tuple(tuple(a) for a in state["actions"]),
                    {
                        tuple(o["actions"]): ExplicitOutcome(
                            tuple(_number(p) for p in o["payoffs"]),
                            {t: _number(q) for t, q in o.get("next", {}).items()},
                        )
                        for o in state["outcomes"]
                    },
                )
            at = "the game"
            name, players = str(content["name"]), tuple(content["players"])
            discount = _number(content.get("discount", 1))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise FormatError(f"cannot read {error!r}", where=at, fix="see the format in the documentation") from None
        return ExplicitStochasticGame(name, players, states, discount)


def read_stochastic(path: str | Path) -> ExplicitStochasticGame:
    """Read a JSON file."""
    return ExplicitStochasticGame.from_dict(read_json(path, "the stochastic game", fix="write it as JSON"))


def _number(value: Any) -> Fraction:
    return parse_fraction(value) if isinstance(value, str) else as_fraction(value)
