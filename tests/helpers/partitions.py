"""Partitioned games: a small partition of hold'em, and what a run has learned as plans of the public game it plays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import numpy as np

from equiform.abstraction.partition.blueprint import BlueprintSettings, prepare_blueprint
from equiform.abstraction.partition.holdem import HoldemPartition, all_flops
from equiform.abstraction.partition.small_decks import SmallDeckDealer
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.common.array_types import FloatArray
from equiform.models.public.game import Key, PublicGame
from equiform.solvers_iterative.partitioned.dealers import Path as MemberPath
from equiform.solvers_iterative.partitioned.regions import lay_out_region


def flops_by_highest_card() -> HoldemPartition:
    """Three clusters of five buckets each, by cuts at random: no equities are needed to make it."""
    flops, classes = all_flops()
    clusters = np.zeros(int(classes.max()) + 1, dtype=np.int64)
    clusters[classes] = (flops.max(axis=1) // 4) // 5
    cuts = tuple(np.sort(np.random.default_rng(k).integers(0, 1980, (3, 4)), axis=1) for k in range(3))
    return HoldemPartition(clusters, (cuts[0], cuts[1], cuts[2]), 0, 100)


def run_blueprint(folder: Path, betting: HoldemBetting, iterations: int) -> None:
    """Run a blueprint on that partition."""
    folder.mkdir(exist_ok=True)
    settings = BlueprintSettings(3, (5, 5, 5), betting, batch=5, sample=100)
    flops_by_highest_card().write(folder / "partition.npz")
    (folder / "blueprint.json").write_text(json.dumps(settings.to_dict()))
    solver = prepare_blueprint(folder, settings)
    solver.run(iterations)
    solver.close()


def plans(
    game: PublicGame, dealer: SmallDeckDealer, averages: dict[MemberPath, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Read both players' realization plans out of the members' tables; the game has all boards and hands apart."""
    assert game.dealt is not None
    regions = {path: lay_out_region(dealer.tree, dealer.levels[len(path)], dealer.buckets(path)) for path in averages}
    found = []
    for player, treeplex in enumerate(game.treeplexes):
        behavior, table = np.ones(treeplex.num_sequences), game.boards.hands[player]
        for h, key in enumerate(treeplex.infosets):
            board, node, hand = cast(Key, key)
            member = int(table.member_start[board]) + hand  # every hand is one holding
            holding = game.dealt.rules.holdings[table.member_private[member]]
            public = np.array(game.dealt.board_cards[board], dtype=np.int64)
            path, street = dealer.path_of(public), int(dealer.tree.street[node])
            region = regions[path]
            bucket = int(dealer.bucket(street, holding[None], public[None])[0])
            at = street - region.first
            low = int(region.base[at] + bucket * region.width[at] + region.column[node])
            start, stop = treeplex.start[h], treeplex.start[h + 1]
            behavior[start:stop] = averages[path][low : low + stop - start]
        found.append(treeplex.realization(behavior))
    return found[0], found[1]


def gap(game: PublicGame, pair: tuple[FloatArray, FloatArray]) -> float:
    """The sum of what both players gain by best responses."""
    first, second = game.treeplexes
    payoff = game.payoff
    return first.best_value(payoff.times(pair[1])) + second.best_value(-payoff.transpose_times(pair[0]))
