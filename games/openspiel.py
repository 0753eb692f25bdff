r"""Any finite OpenSpiel game (Lanctot et al. 2019) as one of ours, and our strategies as its policies.

OpenSpiel speaks floats: chance probabilities and returns become the simplest fractions that round to them, and a
distribution that then misses one by a rounding error is scaled to sum to one exactly. Simultaneous moves are made one
after another, each hidden from the rest (OpenSpiel's own conversion). A player's information set is the
``information_state_string``; where these strings forget the player's own past (open-bid ``goofspiel``, say), sets are
split until recall is perfect (:mod:`equiform.games.recall`).
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from equiform.games.gambit_text import distinct_labels
from equiform.games.recall import with_perfect_recall
from equiform.models.errors import (
    ActionMismatchError,
    BackendMissingError,
    GameError,
    ParameterError,
    StrategyError,
    UnsupportedGameError,
)
from equiform.models.extensive import CHANCE, TERMINAL, ExtensiveGame, compile_rules
from equiform.models.rational import as_fraction
from equiform.models.strategy import Strategy

_LOG = logging.getLogger(__name__)

_SPIEL_TERMINAL = -4
_ROUNDING = Fraction(1, 10**9)


class InfoState(NamedTuple):
    """The key of an information set: OpenSpiel's string and the numbers of its actions there."""

    text: str
    actions: tuple[int, ...]


class _Moves(NamedTuple):
    """What is offered at an information set or chance node; made once and shared by all its nodes."""

    key: InfoState
    labels: tuple[str, ...]
    action_of: dict[str, int]
    probabilities: tuple[Fraction, ...]


# (OpenSpiel's state, whose turn, what is offered), and at a leaf (payoffs, TERMINAL, None): it needs no more.
_State = tuple[Any, int, _Moves | None]


def load_openspiel(name: str, *, max_nodes: int = 5_000_000, perfect_recall: bool = True) -> ExtensiveGame:
    """Load an OpenSpiel game by its game string, such as ``goofspiel(num_cards=4,imp_info=True)``.

    With ``perfect_recall`` information sets whose strings forget the player's own past are split; without it they are
    taken as they are, and programs that need perfect recall will refuse the game.
    """
    rules = OpenSpielRules(name, max_nodes=max_nodes)
    game = replace(compile_rules(rules, max_nodes=max_nodes), describe=describe_state)
    if perfect_recall and not game.has_perfect_recall:
        split = with_perfect_recall(game)
        _LOG.info("%s: split %d information sets into %d", game.name, game.num_infosets, split.num_infosets)
        return split
    return game


def openspiel_game(name: str) -> Any:
    """Give OpenSpiel's own game object (turn-based), or raise a typed error that says why there is none."""
    spiel = _pyspiel()
    short = name.split("(", 1)[0].strip()
    known = spiel.registered_names()
    if short not in known:
        near = difflib.get_close_matches(short, known, n=3)
        raise ParameterError(
            f"OpenSpiel has no game called {short!r}",
            where=f"openspiel:{name}",
            fix=f"did you mean {' or '.join(near)}?" if near else "pyspiel.registered_names() lists all",
        )
    try:
        game = spiel.load_game(name)
        kind = game.get_type()
        if kind.dynamics == spiel.GameType.Dynamics.MEAN_FIELD:
            raise UnsupportedGameError(
                f"{short} is a mean-field game without a finite tree of single players", where=f"openspiel:{name}"
            )
        if kind.chance_mode == spiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise UnsupportedGameError(
                f"{short} samples its chance moves and does not give their probabilities", where=f"openspiel:{name}"
            )
        if kind.dynamics == spiel.GameType.Dynamics.SIMULTANEOUS:
            game = spiel.convert_to_turn_based(game)
            kind = game.get_type()
        if not (kind.provides_information_state_string or kind.information == _perfect_information(spiel)):
            raise UnsupportedGameError(
                f"{short} does not say what its players know (no information_state_string)",
                where=f"openspiel:{name}",
                fix="choose a game that provides information states",
            )
    except spiel.SpielError as error:
        raise ParameterError(
            f"OpenSpiel refuses the game: {str(error).strip().splitlines()[0]}",
            where=f"openspiel:{name}",
            fix="check the game string and its parameters",
        ) from None
    return game


class OpenSpielRules:
    """An OpenSpiel game as rules. Each of OpenSpiel's calls is made once a node, labels once an information set."""

    def __init__(self, name: str, *, max_nodes: int = 5_000_000) -> None:
        self.name = f"openspiel:{name}"
        self.game = openspiel_game(name)
        self.players = tuple(f"player {p + 1}" for p in range(self.game.num_players()))
        self._has_strings = self.game.get_type().provides_information_state_string
        self._max_nodes = max_nodes
        self._made = 0
        self._offers: tuple[dict[str, _Moves], ...] = tuple({} for _ in self.players)
        self._leaves: dict[tuple[float, ...], _State] = {}

    def initial(self) -> _State:
        """Return the root."""
        return self._state(self.game.new_initial_state())

    def turn(self, state: _State) -> int:
        """Return whose move it is."""
        return state[1]

    def actions(self, state: _State) -> tuple[str, ...]:
        """Return the labels of the moves."""
        return state[2].labels if state[2] else ()

    def probabilities(self, state: _State) -> tuple[Fraction, ...]:
        """Return chance's distribution."""
        return state[2].probabilities if state[2] else ()

    def next(self, state: _State, action: str) -> _State:
        """Return a child."""
        moves = state[2]
        assert moves is not None  # leaves have no moves
        return self._state(state[0].child(moves.action_of[action]))

    def payoffs(self, state: _State) -> tuple[float, ...]:
        """Return OpenSpiel's returns."""
        pay: tuple[float, ...] = state[0]
        return pay

    def infoset(self, state: _State) -> InfoState:
        """Return the information state."""
        assert state[2] is not None
        return state[2].key

    def describe(self, key: InfoState) -> str:
        """Put an information set into words."""
        return describe_state(key)

    def _state(self, spiel_state: Any) -> _State:
        self._made += 1
        if self._made > self._max_nodes:
            raise GameError(
                f"the tree of {self.name!r} has more than {self._max_nodes:,} nodes",
                fix="choose a smaller game, or raise max_nodes if memory allows",
            )
        who: int = spiel_state.current_player()
        if who == _SPIEL_TERMINAL:
            pay = tuple(spiel_state.returns())
            return self._leaves.setdefault(pay, (pay, TERMINAL, None))
        if who == CHANCE:
            return spiel_state, CHANCE, self._chance(spiel_state)
        text: str = spiel_state.information_state_string() if self._has_strings else spiel_state.history_str()
        legal = spiel_state.legal_actions()
        offer = self._offers[who].get(text)
        if offer is None:
            labels = distinct_labels(spiel_state.action_to_string(who, a) for a in legal)
            offer = _Moves(InfoState(text, tuple(legal)), labels, dict(zip(labels, legal, strict=True)), ())
            self._offers[who][text] = offer
        elif tuple(legal) != offer.key.actions:
            raise ActionMismatchError(
                f"two nodes of one information set offer the actions {offer.key.actions} and {tuple(legal)}",
                where=f"{self.name}, player {who + 1}, {text!r}",
                fix="report it to the game's authors: the information state string is too coarse",
            )
        return spiel_state, who, offer

    def _chance(self, spiel_state: Any) -> _Moves:
        outcomes = spiel_state.chance_outcomes()
        labels = distinct_labels(spiel_state.action_to_string(CHANCE, a) for a, _ in outcomes)
        actions = tuple(a for a, _ in outcomes)
        odds = exact_distribution(tuple(p for _, p in outcomes))
        return _Moves(InfoState("", actions), labels, dict(zip(labels, actions, strict=True)), odds)


@lru_cache(maxsize=4096)  # a deck deals from few distinct distributions, over and over
def exact_distribution(odds: tuple[float, ...]) -> tuple[Fraction, ...]:
    """Recover fractions from rounded probabilities.

    >>> exact_distribution((1 / 3, 1 / 6, 0.5))
    (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2))
    """
    exact = tuple(as_fraction(p) for p in odds)
    total = sum(exact, Fraction(0))
    return tuple(p / total for p in exact) if 0 < abs(total - 1) < _ROUNDING else exact


def describe_state(key: InfoState) -> str:
    """Put an information state on one line."""
    words = "; ".join(line.strip() for line in key.text.splitlines() if line.strip())
    return words or "to open"


def to_openspiel_policy(game: ExtensiveGame, strategies: Sequence[Strategy]) -> Any:
    """Give a profile as OpenSpiel's ``TabularPolicy``, for its own ``nash_conv`` and friends.

    Where a string was split for perfect recall, its copies are averaged by the player's own probability of reaching
    them.
    """
    spiel = _pyspiel()
    table: dict[str, list[tuple[int, float]]] = {}
    owner: dict[str, int] = {}
    for player, strategy in enumerate(strategies):
        plex, behavior, plan = strategy.treeplex, strategy.floats, strategy.plan
        weights: dict[InfoState, list[tuple[float, int]]] = {}
        for h, key in enumerate(plex.infosets):
            weights.setdefault(_info_state(key, game.name), []).append((float(plan[plex.parent[h]]), h))
        for state, copies in weights.items():
            if owner.setdefault(state.text, player) != player:
                raise StrategyError(
                    "two players share an information state string, and a tabular policy cannot tell them apart",
                    where=repr(state.text),
                )
            total = sum(w for w, _ in copies)
            shares = [(w / total if total > 0 else 1 / len(copies), int(plex.start[h])) for w, h in copies]
            table[state.text] = [
                (a, float(sum(w * behavior[first + k] for w, first in shares))) for k, a in enumerate(state.actions)
            ]
    return spiel.TabularPolicy(table)


def from_openspiel_policy(game: ExtensiveGame, policies: Sequence[Any]) -> tuple[Strategy, ...]:
    """Read OpenSpiel's tabular policies of Python, one a player, as strategies of a game loaded from there.

    This is what its ``sequence_form_lp`` returns. Probabilities are clipped and normalised: its solvers leave dust.
    """
    strategies = []
    for plex, policy in zip(game.treeplexes, policies, strict=True):
        behavior = np.ones(plex.num_sequences)
        for h, key in enumerate(plex.infosets):
            state = _info_state(key, game.name)
            try:
                found = policy.policy_for_key(state.text)
            except KeyError:
                raise StrategyError("the policy has no such state", where=repr(state.text)) from None
            behavior[int(plex.start[h]) : int(plex.start[h + 1])] = np.maximum(found[list(state.actions)], 0.0)
        strategies.append(Strategy(plex, plex.behavior(behavior)))
    return tuple(strategies)


def _info_state(key: Any, name: str) -> InfoState:
    """Find the information state in a key, which splitting for recall has wrapped."""
    if isinstance(key, InfoState):
        return key
    if isinstance(key, tuple) and key and isinstance(key[0], InfoState):
        return key[0]
    raise StrategyError(
        f"{name} was not loaded from OpenSpiel", where=repr(key), fix='load it with load_game("openspiel:…")'
    )


def _perfect_information(spiel: ModuleType) -> Any:
    return spiel.GameType.Information.PERFECT_INFORMATION


def _pyspiel() -> ModuleType:
    try:
        import pyspiel
    except ImportError:
        raise BackendMissingError(
            "OpenSpiel is not installed", where="import pyspiel", fix="pip install 'equiform[oracles]'"
        ) from None
    module: ModuleType = pyspiel
    return module
