"""From rules to a game tree: one breadth-first walk that checks every node on the way."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from equiform.models.common.errors import ActionMismatchError, GameError
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import CHANCE, TERMINAL, Rules, require_rules
from equiform.models.size import EVERY, SizeWatch, estimate_nodes
from equiform.models.tree_record import TreeRecord


def compile_rules(rules: Rules, *, max_nodes: int = 50_000_000) -> ExtensiveGame:
    """Walk the whole tree of ``rules`` into arrays, checking it on the way.

    Parameters
    ----------
    rules
        A game in the form of functions of its states.
    max_nodes
        How many nodes the tree may have.

    Returns
    -------
    ExtensiveGame
        The game tree with exact payoffs and chance probabilities.

    Raises
    ------
    GameError
        With the node's path: if chance does not sum to one, a nonterminal has no moves, moves differ inside an
        information set, payoffs are missing or not finite, or the tree is too large.
    """
    require_rules(rules)
    record = TreeRecord(rules.name, rules.players, rules.describe)
    watch = SizeWatch(rules.name, max_nodes, lambda: _estimate(rules))
    try:
        with collector_paused():
            layer = [rules.initial()]
            while layer:
                watch.look(len(record.turns) + len(layer))
                layer = _expand(rules, record, layer, watch)
            return record.game()
    except MemoryError:
        raise watch.out_of_memory() from None


def _estimate(rules: Rules) -> float:
    """Estimate the size of the tree from samples."""
    return estimate_nodes(
        rules.initial, lambda state: () if rules.turn(state) == TERMINAL else tuple(rules.actions(state)), rules.next
    )


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the cyclic collector: a walk allocates millions of tuples and no cycles, and it would rescan them all."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _expand(rules: Rules, record: TreeRecord, layer: list[Any], watch: SizeWatch) -> list[Any]:
    """Visit one depth and return the states of the next. Local names: this loop sets the compile speed."""
    num_players = len(record.players)
    turn, actions, step, payoffs, key_of = rules.turn, rules.actions, rules.next, rules.payoffs, rules.infoset
    turns, outcomes, edges = record.turns, record.outcomes, record.edges
    expanded, offers = record.expanded, record.offers
    payoff_number, move_number, infoset_number = record.payoff_number, record.move_number, record.infoset_number
    infoset_moves = record.infoset_moves
    below: list[Any] = []
    for node, state in enumerate(layer, len(turns)):
        if not node % EVERY:
            watch.look(node + len(below))
        who = turn(state)
        turns.append(who)
        if who == TERMINAL:
            pay = tuple(payoffs(state))
            number = payoff_number.get(pay)
            outcomes.append(record.new_payoffs(pay, node) if number is None else number)
            continue
        moves = tuple(actions(state))
        moves_id = move_number.get(moves)
        if moves_id is None:
            moves_id = record.new_moves(moves, node)
        if who == CHANCE:
            offers.append(~moves_id)
            edges += record.distribution(tuple(rules.probabilities(state)), len(moves), node)
        elif 0 <= who < num_players:
            key = key_of(state)
            infoset = infoset_number[who].get(key)
            if infoset is None:
                infoset = record.new_infoset(who, key, moves_id)
            elif infoset_moves[infoset] != moves_id:
                expected = list(move_number)[infoset_moves[infoset]]
                raise ActionMismatchError(
                    f"two nodes of one information set offer different moves: {expected} and {moves}",
                    where=f"{rules.describe(key)!r} of {record.players[who]}, node {record.where(node)}",
                    fix="use different information-set keys for the nodes, or the same moves in the same order",
                )
            offers.append(infoset)
        else:
            raise GameError(
                f"turn() returned {who!r}; there are {num_players} players",
                where=record.where(node),
                fix="return a player's number from 0, CHANCE or TERMINAL",
            )
        expanded.append(node)
        for move in moves:
            below.append(step(state, move))
    return below
