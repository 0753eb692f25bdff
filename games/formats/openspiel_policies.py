"""Our strategies as OpenSpiel's policies, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from equiform.games.formats.openspiel import InfoState, pyspiel_module
from equiform.models.common.errors import StrategyError
from equiform.models.extensive import ExtensiveGame
from equiform.models.strategy import Strategy


def to_openspiel_policy(game: ExtensiveGame, strategies: Sequence[Strategy]) -> Any:
    """Return a profile as OpenSpiel's ``TabularPolicy``, for its own ``nash_conv`` and friends.

    Where a string was split for perfect recall, its copies are averaged by the player's own probability of reaching
    them.

    Parameters
    ----------
    game
        A game loaded from OpenSpiel.
    strategies
        One strategy per player.

    Returns
    -------
    pyspiel.TabularPolicy
        Probabilities by information state string.

    Raises
    ------
    StrategyError
        If the game was not loaded from OpenSpiel, or if two players share an information state string.
    """
    spiel = pyspiel_module()
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


def from_openspiel_policy(game: ExtensiveGame, policies: Any) -> tuple[Strategy, ...]:
    """Read OpenSpiel's policies as strategies of a game loaded from there.

    Probabilities are clipped and normalised, since solvers leave rounding errors.

    Parameters
    ----------
    game
        A game loaded from OpenSpiel.
    policies
        One policy for all players, such as ``CFRSolver(…).average_policy()`` of Python or of C++, or one per player,
        which is what ``sequence_form_lp`` returns.

    Returns
    -------
    tuple of Strategy
        One strategy per player.

    Raises
    ------
    StrategyError
        If a policy lacks a state of the game or cannot be queried, or if their number is wrong.
    """
    own = policies if isinstance(policies, list | tuple) else [policies] * len(game.treeplexes)
    if len(own) != len(game.treeplexes):
        raise StrategyError(
            f"{len(own)} policies do not make a profile",
            where=game.name,
            fix=f"pass one for all players, or {len(game.treeplexes)}",
        )
    strategies = []
    for plex, policy in zip(game.treeplexes, own, strict=True):
        behavior = np.ones(plex.num_sequences)
        for h, key in enumerate(plex.infosets):
            odds = _policy_at(policy, _info_state(key, game.name))
            behavior[int(plex.start[h]) : int(plex.start[h + 1])] = np.maximum(odds, 0.0)
        strategies.append(Strategy(plex, plex.behavior(behavior)))
    return tuple(strategies)


def _policy_at(policy: Any, state: InfoState) -> list[float]:
    """Ask a policy for the probabilities of a state's actions; policies of Python and of C++ are asked differently."""
    try:
        if hasattr(policy, "policy_for_key"):
            found = policy.policy_for_key(state.text)
            return [float(found[action]) for action in state.actions]
        if isinstance(policy, pyspiel_module().Policy):
            odds = dict(policy.get_state_policy(state.text))  # empty, or an error, for a state that it lacks
            return [float(odds[action]) for action in state.actions]
    except (KeyError, pyspiel_module().SpielError):
        raise StrategyError(
            "the policy has no such state", where=repr(state.text), fix="use a policy of this very game"
        ) from None
    raise StrategyError(
        f"a {type(policy).__name__} cannot be queried with an information state",
        where=repr(state.text),
        fix="make it tabular: open_spiel.python.policy.tabular_policy_from_callable(game, policy.action_probabilities)",
    )


def _info_state(key: Any, name: str) -> InfoState:
    """Find the information state in a key, which splitting for recall has wrapped."""
    if isinstance(key, InfoState):
        return key
    if isinstance(key, tuple) and key and isinstance(key[0], InfoState):
        return key[0]
    raise StrategyError(
        f"{name} was not loaded from OpenSpiel", where=repr(key), fix='load it with load_game("openspiel:…")'
    )
