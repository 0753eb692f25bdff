r"""Restoring perfect recall: the coarsest refinement in which no player forgets.

An information set whose nodes follow different own moves makes the player forget. Splitting it by the
player's own past, from the root down, restores perfect recall and adds no information but what the player once knew.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from equiform.games.formats.gambit_text import distinct_labels
from equiform.models.extensive import ExtensiveGame


def with_perfect_recall(game: ExtensiveGame) -> ExtensiveGame:
    """Split information sets by their player's own past; a game with perfect recall is returned unchanged.

    Keys of the new information sets are ``(key, copy)``; where a set was split its words tell the copies apart.
    """
    if game.has_perfect_recall:
        return game
    num_players = len(game.players)
    infoset = np.full(game.num_nodes, -1, dtype=np.int32)
    # what each player did last: 0 nothing, else 1 + (new information set) · width + move
    width = max(len(m) for m in game.move_sets)
    past = np.zeros((num_players, game.num_nodes), dtype=np.int64)
    origin: list[int] = []  # the old information set of each new one
    number: dict[tuple[int, int], int] = {}
    for d in range(len(game.layers) - 1):
        nodes = np.arange(game.layers[d], game.layers[d + 1])
        if d:
            above = game.parent[nodes]
            past[:, nodes] = past[:, above]
            for p in range(num_players):
                moved = game.turn[above] == p
                code = 1 + infoset[above[moved]].astype(np.int64) * width + game.branch[nodes[moved]]
                past[p, nodes[moved]] = code
        own = nodes[game.turn[nodes] >= 0]
        old = game.infoset[own].tolist()
        did = past[game.turn[own], own].tolist()
        for pair in zip(old, did, strict=True):
            if pair not in number:
                number[pair] = len(origin)
                origin.append(pair[0])
        infoset[own] = [number[pair] for pair in zip(old, did, strict=True)]
    copies: dict[int, int] = {}
    keys: list[tuple[Hashable, int]] = []
    for old_set in origin:
        copies[old_set] = copies.get(old_set, 0) + 1
        keys.append((game.infoset_keys[old_set], copies[old_set]))
    source = np.array(origin, dtype=np.int64)
    player = game.infoset_player[source]
    return replace(
        game,
        infoset=infoset,
        infoset_player=player,
        infoset_moves=game.infoset_moves[source],
        infoset_keys=tuple(keys),
        describe=_words(game.describe, keys, player.tolist()),
    )


def _words(describe: Callable[[Any], str], keys: list[tuple[Hashable, int]], player: list[int]) -> Callable[[Any], str]:
    """Number the copies of a set in its words."""
    labels: dict[tuple[Hashable, int], str] = {}
    for p in set(player):
        own = [key for key, owner in zip(keys, player, strict=True) if owner == p]
        names = distinct_labels(describe(key) + (f", own past {copy}" if copy > 1 else "") for key, copy in own)
        labels.update(zip(own, names, strict=True))
    return labels.__getitem__
