r"""Statements as text: a TOML file with a family of games and a claim.

.. code-block:: toml

    name = "matching pennies with a cheat"
    kind = "matrix"
    source = "folklore"

    [parameters]
    c = "0 <= c <= 1"

    [game]
    rows = ["heads", "tails"]
    columns = ["heads", "tails"]
    payoffs = [["1 + c", -1], [-1, 1]]

    [claim]
    row = ["2/(4 + c)", "(2 + c)/(4 + c)"]
    column = ["2/(4 + c)", "(2 + c)/(4 + c)"]
    value = "c/(4 + c)"

Kinds and their keys are listed in :data:`KINDS`. Expressions are read by our own parser
(:mod:`equiform.validation.closed_forms.proving.expressions`); nothing in a file is ever executed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models.common.arguments import require_name
from equiform.models.common.errors import EquiformError, FormatError, ParameterError
from equiform.models.rules import CHANCE, TERMINAL
from equiform.validation.closed_forms.families import (
    Actions,
    BidFunction,
    ContinuousPlayer,
    Equilibrium,
    Family,
    Piece,
    Thresholds,
    auction,
    bimatrix_game,
    continuous_game,
    matrix_game,
    signal_game,
    table_game,
    tree_game,
)
from equiform.validation.closed_forms.proving.parameters import Parameters

_LARGEST = 200_000  # characters in a file
_MOST_NODES = 2_000


@dataclass(frozen=True, eq=False)
class Statement:
    """A family of games and a claim about it."""

    name: str
    source: str
    family: Family[Any]
    claim: Any
    """``None`` in a file without a claim: something to derive."""
    note: str = ""


def read_statement(path: str | Path) -> Statement:
    """Read a statement from a TOML file.

    Raises
    ------
    FormatError
        If the file is missing, is not TOML, is too large, or does not describe a game and a claim.
    """
    place = Path(path)
    try:
        if place.stat().st_size > _LARGEST:
            raise FormatError(f"the file has more than {_LARGEST} bytes", where=str(place), fix="use a smaller game")
        text = place.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"the file cannot be read: {error}", where=str(place), fix="pass a TOML file") from None
    return parse_statement(text, str(place))


def parse_statement(text: str, where: str = "text") -> Statement:
    """Read a statement from the text of a TOML file; errors as for :func:`read_statement`."""
    if len(text) > _LARGEST:
        raise FormatError(f"the text has more than {_LARGEST} characters", where=where, fix="use a smaller game")
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        message = str(error)[:200] or "it is nested too deeply"
        raise FormatError(f"this is not TOML: {message}", where=where, fix="check quotes and brackets") from None
    return _statement(document, where)


def _statement(document: Mapping[str, Any], where: str) -> Statement:
    known = {"name", "kind", "source", "note", "parameters", "game", "claim"}
    _only(document, known, where)
    name = document.get("name", Path(where).stem)
    kind = require_name(document.get("kind"), KINDS, "kind of game", where)
    tables = {k: document.get(k, {}) for k in ("parameters", "game", "claim")}
    for key, table in tables.items():
        if not isinstance(table, Mapping):
            raise FormatError(f"{key} is not a table", where=where, fix=f"write [{key}] and its entries below")
    try:
        parameters = Parameters.of(tables["parameters"])
        game = _Table(tables["game"], "game")
        family = KINDS[kind].family(str(name), game, parameters)
        claim = KINDS[kind].claim(_Table(tables["claim"], "claim"), game) if "claim" in document else None
        if claim is not None:
            family.read(claim)
    except FormatError as error:
        raise FormatError(error.what, where=f"{where}, {error.where}", fix=error.fix) from None
    except ParameterError as error:
        raise FormatError(error.what, where=f"{where}, {error.where}", fix=error.fix) from None
    except EquiformError:
        raise
    except (TypeError, AttributeError, KeyError, IndexError, ValueError) as error:
        raise FormatError(
            f"an entry is not of the kind expected: {str(error)[:120]}",
            where=where,
            fix="compare with the examples in the documentation",
        ) from None
    return Statement(str(name), str(document.get("source", "")), family, claim, str(document.get("note", "")))


class _Table:
    """A table of the document whose entries are asked for by name."""

    def __init__(self, entries: Mapping[str, Any], name: str) -> None:
        self.entries, self.name = entries, name

    def get(self, key: str, default: Any = None) -> Any:
        return self.entries.get(key, default)

    def need(self, key: str) -> Any:
        if key not in self.entries:
            raise FormatError(f"{key} is missing", where=self.name, fix=f"add `{key} = …` to [{self.name}]")
        return self.entries[key]

    def only(self, *keys: str) -> None:
        _only(self.entries, set(keys), self.name)


def _only(entries: Mapping[str, Any], known: set[str], where: str) -> None:
    unknown = sorted(set(entries) - known)
    if unknown:
        raise FormatError(f"{unknown[0]!r} has no meaning here", where=where, fix=f"use {', '.join(sorted(known))}")


def _values(claim: _Table) -> Sequence[Any]:
    """Read ``value = …`` or ``values = […]``."""
    values = claim.get("values", [claim.get("value")] if "value" in claim.entries else [])
    if not isinstance(values, list):
        raise FormatError("values is not a list", where=claim.name, fix="write one expression per player in brackets")
    return values


def _matrix(name: str, game: _Table, parameters: Parameters) -> Family[Any]:
    game.only("rows", "columns", "payoffs")
    return matrix_game(name, game.need("rows"), game.need("columns"), game.need("payoffs"), parameters)


def _bimatrix(name: str, game: _Table, parameters: Parameters) -> Family[Any]:
    game.only("rows", "columns", "row_payoffs", "column_payoffs")
    tables = game.need("row_payoffs"), game.need("column_payoffs")
    return bimatrix_game(name, game.need("rows"), game.need("columns"), *tables, parameters)


def _two_strategies(claim: _Table, game: _Table) -> Equilibrium:
    claim.only("row", "column", "value", "values")
    return Equilibrium([claim.need("row"), claim.need("column")], _values(claim))


def _table(name: str, game: _Table, parameters: Parameters) -> Family[Any]:
    game.only("players", "actions", "payoffs")
    players, actions, payoffs = game.need("players"), game.need("actions"), game.need("payoffs")
    keys = {" ".join(cell): cell for cell in product(*actions)}
    if set(payoffs) != set(keys):
        wrong = sorted(set(payoffs) ^ set(keys))[0]
        raise FormatError(f"the payoffs at {wrong!r} are missing or superfluous", where="game", fix="one per profile")
    return table_game(name, players, actions, {keys[k]: v for k, v in payoffs.items()}, parameters)


def _strategies(claim: _Table, game: _Table) -> Equilibrium:
    claim.only("strategies", "value", "values")
    return Equilibrium(_by_player(claim.need("strategies"), game.need("players")), _values(claim))


def _by_player(strategies: Any, players: Sequence[str]) -> list[Any]:
    if not isinstance(strategies, Mapping) or set(strategies) != set(players):
        raise FormatError("the strategies do not fit the players", where="claim", fix=f"pass {', '.join(players)}")
    return [strategies[p] for p in players]


def _tree(name: str, game: _Table, parameters: Parameters) -> Family[Any]:
    game.only("players", "root", "nodes")
    players, nodes = game.need("players"), game.need("nodes")
    if len(nodes) > _MOST_NODES:
        raise FormatError(f"there are {len(nodes)} nodes", where="game", fix=f"use at most {_MOST_NODES}")
    root = _node(game.get("root", "root"), nodes, players, ())
    return tree_game(ExplicitTree(name, players, root), parameters)


def _node(key: str, nodes: Mapping[str, Any], players: Sequence[str], above: tuple[str, ...]) -> TreeNode:
    """Build a node and what is below it: chance, a player's, or a leaf."""
    if not isinstance(nodes.get(key), Mapping) or key in above or len(above) > 40:
        raise FormatError(f"there is no node {key!r} below itself", where="game.nodes", fix="name every node once")
    entry = _Table(nodes[key], f"game.nodes.{key}")
    below = (*above, key)
    if "payoffs" in entry.entries:
        entry.only("payoffs")
        if len(entry.need("payoffs")) != len(players):
            raise FormatError("there is not one payoff per player", where=entry.name, fix="pass one for each")
        return TreeNode(TERMINAL, payoffs=entry.need("payoffs"))
    if "chance" in entry.entries:
        entry.only("chance")
        moves = entry.need("chance")
        children = {move: _node(to, nodes, players, below) for move, (_, to) in moves.items()}
        return TreeNode(CHANCE, probabilities=[p for p, _ in moves.values()], children=children)
    entry.only("player", "infoset", "moves")
    player = require_name(entry.need("player"), players, "player", entry.name)
    children = {move: _node(to, nodes, players, below) for move, to in entry.need("moves").items()}
    return TreeNode(list(players).index(player), str(entry.get("infoset", key)), children=children)


def _signals(name: str, game: _Table, parameters: Parameters) -> Family[Any]:
    game.only("plans", "outcomes", "total")
    outcomes = {}
    for pair, both in game.need("outcomes").items():
        first, middle, second = pair.partition(" v ")
        if not middle:
            raise FormatError(f"{pair!r} is not a pair of plans", where="game.outcomes", fix='write "BET v CALL"')
        outcomes[first.strip(), second.strip()] = both
    return signal_game(name, game.need("plans"), outcomes, parameters, game.get("total", 0))


def _thresholds(claim: _Table, game: _Table) -> Thresholds:
    claim.only("thresholds", "regions", "order", "value")
    names = [word.strip() for word in str(claim.need("order")).replace("<=", "<").split("<")]
    return Thresholds(claim.need("thresholds"), claim.need("regions"), names, claim.get("value"))


def _auction(name: str, game: _Table, parameters: Parameters) -> Family[Any]:
    game.only("rule", "bidders", "distribution")
    return auction(name, game.need("rule"), game.get("bidders", 2), game.get("distribution", "v"), parameters)


def _bid(claim: _Table, game: _Table) -> BidFunction:
    claim.only("bid", "revenue")
    return BidFunction(claim.need("bid"), claim.get("revenue"))


def _continuous(name: str, game: _Table, parameters: Parameters) -> Family[Any]:
    game.only("players")
    players = []
    for number, entries in enumerate(game.need("players")):
        entry = _Table(entries, f"game.players[{number}]")
        entry.only("name", "action", "payoff", "low", "high", "pieces", "stage")
        pieces = [Piece(p["low"], p.get("high"), p["payoff"]) for p in entry.get("pieces", [])]
        players.append(
            ContinuousPlayer(
                str(entry.need("name")),
                entry.need("action"),
                entry.get("payoff"),
                entry.get("low", 0),
                entry.get("high"),
                pieces,
                int(entry.get("stage", 0)),
            )
        )
    return continuous_game(name, players, parameters)


def _actions(claim: _Table, game: _Table) -> Actions:
    claim.only("actions", "value", "values")
    return Actions(claim.need("actions"), _values(claim))


@dataclass(frozen=True)
class _Kind:
    """How a kind of game and claims about it are read."""

    family: Callable[[str, _Table, Parameters], Family[Any]]
    claim: Callable[[_Table, _Table], Any]


#: The kinds of game that a file may hold.
KINDS: Mapping[str, _Kind] = {
    "matrix": _Kind(_matrix, _two_strategies),
    "bimatrix": _Kind(_bimatrix, _two_strategies),
    "table": _Kind(_table, _strategies),
    "tree": _Kind(_tree, _strategies),
    "signals": _Kind(_signals, _thresholds),
    "auction": _Kind(_auction, _bid),
    "continuous": _Kind(_continuous, _actions),
}
