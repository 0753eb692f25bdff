"""Games as JSON: our own format, exact, read again by ``load_game``. ``docs/game_format.md`` describes it.

A table holds every player's payoffs; a tree is a list of nodes in prefix order, so that depth costs no recursion.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from equiform.games.entry import Game
from equiform.games.formats.gambit_text import distinct_labels
from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models.common.errors import FormatError, UnsupportedGameError
from equiform.models.common.files import read_json, write_text
from equiform.models.common.rational import exact_text, parse_fraction
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm
from equiform.models.rules import CHANCE, TERMINAL
from equiform.models.sequence_form import SequenceForm

FORMAT = "equiform-game"
VERSION = 1
_FIX = "write it with `equiform export GAME --out FILE.json`"


def write_json_game(game: Game, path: str | Path) -> None:
    """Write a game as JSON, atomically."""
    write_text(path, json.dumps(game_document(game), indent=1, ensure_ascii=False) + "\n")


def game_document(game: Game) -> dict[str, Any]:
    """Return the JSON document of a game (format ``equiform-game``, version 1)."""
    if isinstance(game, SequenceForm):
        raise UnsupportedGameError(
            f"{game.name} exists as an operator only", where="export", fix="export a game tree or a table"
        )
    head: dict[str, Any] = {"format": FORMAT, "version": VERSION, "name": game.name, "players": list(game.players)}
    if isinstance(game, NormalForm):
        payoffs = np.vectorize(exact_text, otypes=[object])(game.payoffs).tolist()
        return {**head, "kind": "normal", "actions": [list(a) for a in game.actions], "payoffs": payoffs}
    return {**head, "kind": "extensive", "nodes": _nodes(game)}


def read_json_game(path: str | Path) -> Game:
    """Read a game that :func:`write_json_game` wrote."""
    return parse_json_game(read_json(path, "the game", fix=_FIX), source=str(path))


def parse_json_game(document: Any, *, source: str = "<document>") -> Game:
    """Read the JSON document of a game."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FormatError("not an equiform game file", where=source, fix=f'expected "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise FormatError(
            f"game format version {document.get('version')!r} is not supported",
            where=source,
            fix=f"this release reads version {VERSION}",
        )
    name, players = document.get("name"), document.get("players")
    if not isinstance(name, str) or not isinstance(players, list) or not _are_texts(players):
        raise FormatError("the name or the players are missing", where=source, fix=_FIX)
    kind = document.get("kind")
    if kind == "normal":
        return _table(document, name, tuple(players), source)
    if kind == "extensive":
        return _tree(document.get("nodes"), name, tuple(players), source)
    raise FormatError(f"{kind!r} is not a kind of game", where=source, fix='use "normal" or "extensive"')


def _nodes(game: ExtensiveGame) -> list[dict[str, Any]]:
    """Write the nodes in prefix order; children follow their parent, so that no references are needed."""
    payoffs = [[exact_text(v) for v in row] for row in game.payoff_table]
    owner: dict[int, int] = {}
    labels: dict[int, str] = {}
    for player, own in enumerate(game.infosets_of):
        distinct = distinct_labels(game.describe(game.infoset_keys[h]) for h in own.tolist())
        labels.update(zip(own.tolist(), distinct, strict=True))
        owner.update(dict.fromkeys(own.tolist(), player))
    turn, infoset, outcome = game.turn.tolist(), game.infoset.tolist(), game.outcome.tolist()
    first, count = game.first_child.tolist(), game.num_children.tolist()
    nodes: list[dict[str, Any]] = []
    stack = [0]
    while stack:
        node = stack.pop()
        if turn[node] == TERMINAL:
            nodes.append({"payoffs": payoffs[outcome[node]]})
            continue
        below = range(first[node], first[node] + count[node])
        if turn[node] == CHANCE:
            odds = [exact_text(Fraction(game.chance_values[game.edge[child]])) for child in below]
            moves = list(game.move_sets[game.move_set[node]])
            nodes.append({"chance": odds, "moves": moves})
        else:
            h = infoset[node]
            moves = list(game.move_sets[game.infoset_moves[h]])
            nodes.append({"player": owner[h] + 1, "infoset": labels[h], "moves": moves})
        stack.extend(reversed(below))
    return nodes


def _table(document: dict[str, Any], name: str, players: tuple[str, ...], source: str) -> NormalForm:
    actions, payoffs = document.get("actions"), document.get("payoffs")
    if not isinstance(actions, list) or not all(_are_texts(own) for own in actions):
        raise FormatError(
            "the actions are missing", where=source, fix="list the names of the actions, one list per player"
        )
    shape = (len(players), *(len(own) for own in actions))
    table = np.empty(shape, dtype=object)
    raw = np.array(payoffs, dtype=object)
    if raw.shape != shape:
        raise FormatError(f"payoffs of shape {raw.shape} do not fit {shape}", where=source, fix=_FIX)
    for at, text in np.ndenumerate(raw):
        table[at] = _number(text, f"{source}, payoffs{list(at)}")
    return NormalForm(name, players, tuple(tuple(own) for own in actions), table)


def _tree(nodes: Any, name: str, players: tuple[str, ...], source: str) -> ExtensiveGame:
    if not isinstance(nodes, list) or not nodes:
        raise FormatError("the nodes are missing", where=source, fix=_FIX)
    root = TreeNode()
    waiting = [root]
    for number, entry in enumerate(nodes):
        where = f"{source}, node {number}"
        if not waiting:
            raise FormatError("there are more nodes than the tree has room for", where=where, fix=_FIX)
        node = waiting.pop()
        _fill(node, entry, len(players), where)
        waiting.extend(reversed(node.children.values()))
    if waiting:
        raise FormatError(f"{len(waiting)} nodes are missing at the end", where=source, fix=_FIX)
    return ExplicitTree(name, players, root, lambda key: str(key[1])).compile()


def _fill(node: TreeNode, entry: Any, players: int, where: str) -> None:
    if not isinstance(entry, dict):
        raise FormatError("a node is not an object", where=where, fix=_FIX)
    if "payoffs" in entry:
        node.payoffs = [_number(text, where) for text in _texts(entry["payoffs"], players, "payoffs", where)]
        return
    moves = _texts(entry.get("moves"), None, "moves", where)
    if len(set(moves)) != len(moves):
        raise FormatError("two moves have the same name", where=where, fix="use a different name for each move")
    node.children = {move: TreeNode() for move in moves}
    if "chance" in entry:
        node.turn = CHANCE
        node.probabilities = [_number(text, where) for text in _texts(entry["chance"], len(moves), "odds", where)]
        return
    player, infoset = entry.get("player"), entry.get("infoset")
    if isinstance(player, bool) or not isinstance(player, int) or not 1 <= player <= players:
        raise FormatError(f"there is no player {player!r}", where=where, fix=f"use 1 to {players}")
    if not isinstance(infoset, str):
        raise FormatError("the information set has no name", where=where, fix="name every information set")
    node.turn, node.key = player - 1, (player, infoset)


def _texts(values: Any, size: int | None, what: str, where: str) -> list[Any]:
    if not isinstance(values, list) or (size is not None and len(values) != size):
        raise FormatError(f"the {what} are missing, or their number is wrong", where=where, fix=_FIX)
    if what == "moves" and not _are_texts(values):
        raise FormatError("a move is not a text", where=where, fix=_FIX)
    return values


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(v, str) for v in values)


def _number(text: Any, where: str) -> Fraction:
    try:
        if isinstance(text, bool) or not isinstance(text, str | int):
            raise ValueError(text)
        return parse_fraction(text) if isinstance(text, str) else Fraction(text)
    except ValueError:
        raise FormatError(f"{text!r} is not an exact number", where=where, fix='write it as text, "p/q"') from None
