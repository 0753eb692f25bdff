"""Bucketed games cut off before their last rounds: leaves that pay what a solved game pays from there on."""

from __future__ import annotations

import numpy as np

from equiform.models.bucketed.deals import BucketDeals
from equiform.models.bucketed.game import BucketedGame
from equiform.models.bucketed.leaves import LeafPayoffs, leaf_nodes
from equiform.models.bucketed.strategy import BucketStrategy
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import GameError
from equiform.models.public.betting import SHOWDOWN, BettingTree
from equiform.models.rules import CHANCE, TERMINAL


def truncated_deals(deals: BucketDeals, rounds: int) -> BucketDeals:
    """Return the deals of the first rounds; where deals were sampled, the standard error is an upper bound."""
    last = rounds - 1
    ups = deals.up[0][:last], deals.up[1][:last]
    shown = None if deals.shown is None else (deals.shown[0][:rounds], deals.shown[1][:rounds])
    error = None if deals.error is None else deals.summed(deals.error, (last, last))
    return BucketDeals(deals.joint(last), ups, shown, error)


def strategy_leaves(
    trunk: BettingTree, solved: BucketedGame, profile: tuple[BucketStrategy, BucketStrategy]
) -> LeafPayoffs:
    """Return leaves at which both players go on as in a solved game of more rounds, a matrix for each leaf.

    The trunk's betting must be that of the solved game's first rounds, and its histories theirs.

    If the profile is an equilibrium, the truncated game has the same value, and the first rounds of the profile are an
    equilibrium of it.
    """
    full, rounds = solved.betting, trunk.num_streets
    if rounds >= full.num_streets:
        raise GameError(
            f"{rounds} of {full.num_streets} rounds leave nothing to play", where="strategy leaves", fix="cut earlier"
        )
    start = _matched(trunk, full)
    place = {int(node): k for k, node in enumerate(leaf_nodes(full))}
    matrices = []
    for leaf in leaf_nodes(trunk).tolist():
        value = _played_out(solved, profile, start[leaf], place)
        matrices.append(solved.deals.summed(value, (rounds - 1, rounds - 1)))
    return LeafPayoffs(tuple(matrices), np.eye(len(matrices)), "strategy")


def continued(first: BucketStrategy, rest: BucketStrategy) -> BucketStrategy:
    """Return the strategy of the whole game that plays the trunk's rounds like ``first``, the others like ``rest``."""
    player, rounds = first.player, first.betting.num_streets
    mine, whole = first.betting.seats[player].column, rest.betting.seats[rest.player].column
    same = _matched(first.betting, rest.betting).items()
    if player != rest.player or any(mine[node] != whole[there] for node, there in same):
        raise GameError(
            "the two strategies number their moves differently",
            where=f"player {player + 1} in the trunk, player {rest.player + 1} in the whole game",
            fix="use one player's strategies",
        )
    return BucketStrategy(rest.betting, player, (*first.tables, *rest.tables[rounds:]))


def _matched(trunk: BettingTree, full: BettingTree) -> dict[int, int]:
    """Walk both trees together; return where each node of the trunk lies in the whole."""
    found, waiting = {}, [(0, 0)]
    while waiting:
        node, there = waiting.pop()
        found[node] = there
        leaf = trunk.turn[node] == TERMINAL and trunk.winner[node] == SHOWDOWN
        same = full.turn[there] == (CHANCE if leaf else trunk.turn[node])
        if not same or (not leaf and trunk.actions(node) != full.actions(there)):
            raise GameError(
                f"the trunk and the solved game differ after {trunk.history(node) or 'the start'}",
                where="strategy leaves",
                fix="use the same betting for the first rounds",
            )
        waiting += zip(trunk.children[node], full.children[there], strict=not leaf)
    return found


def _played_out(
    solved: BucketedGame, profile: tuple[BucketStrategy, BucketStrategy], root: int, place: dict[int, int]
) -> FloatArray:
    """Return what a deal is worth to player 0, times the number of deals, for pairs of histories of the last round."""
    tree, deals = solved.betting, solved.deals
    value, last = np.zeros_like(deals.counts), deals.rounds - 1
    first, second = (np.ones(n) for n in deals.counts.shape)
    waiting = [(root, first, second)]
    while waiting:
        node, x, y = waiting.pop()
        who = int(tree.turn[node])
        if who == TERMINAL:
            won = int(tree.winner[node])
            pays = solved.leaves.at(place[node]) if won == SHOWDOWN else (1 - 2 * won) * tree.stake[node] * deals.counts
            value += x[:, None] * pays * y[None, :]
        elif who == CHANCE:
            waiting.append((tree.children[node][0], x, y))
        else:
            odds = profile[who].at(node)[deals.ancestors(who, last, int(tree.street[node]))]
            for k, child in enumerate(tree.children[node]):
                waiting.append((child, x * odds[:, k], y) if who == 0 else (child, x, y * odds[:, k]))
    return value
