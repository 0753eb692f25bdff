"""Where the trunk ends: closure, classes, names, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.endgames.cut import after_chance, after_history, after_moves, cut
from equiform.endgames.entry_form import endgame, endgames
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.sequence_form import sequence_form
from tests.helpers.games import tree


@pytest.mark.parametrize(("name", "ranks"), [("leduc", 3), ("leduc:ranks=6", 6)])
def test_leduc_falls_into_one_endgame_per_betting_and_board(name: str, ranks: int) -> None:
    game = tree(name)
    found = cut(game, after_chance(game, 2))
    assert found.num_endgames == 5 * ranks
    names = [found.name(k) for k in range(found.num_endgames)]
    assert len(set(names)) == len(names)
    assert "· > bet > call > K" in names
    # either player enters with one card of each rank, also the second mover, who has no information set there yet
    for player in (0, 1):
        for k in range(found.num_endgames):
            classes = found.classes[player][found.endgame_of_entry == k]
            assert sorted(set(classes.tolist())) == list(range(ranks))


@pytest.mark.parametrize("name", ["kuhn", "leduc", "rps-sequential", "fig-10.2", "liars-dice:sides=3"])
def test_endgames_are_closed(name: str) -> None:
    """Definition 1: children and information sets stay together."""
    game = tree(name)
    found = cut(game, after_moves(game, 1) if name != "leduc" else after_chance(game, 2))
    place = found.endgame_of_node
    below = np.flatnonzero(place[game.parent[1:]] >= 0) + 1
    assert (place[below] == place[game.parent[below]]).all()
    nodes = np.flatnonzero(game.turn >= 0)
    for h in range(game.num_infosets):
        assert len(set(place[nodes[game.infoset[nodes] == h]].tolist())) == 1


def test_entry_forms_add_up_to_the_game() -> None:
    """Trunk and endgames share out the payoff: what two plans are worth is the sum of the parts."""
    game = tree("leduc")
    form = sequence_form(game)
    rng = np.random.default_rng(5)
    plans = []
    for treeplex in form.treeplexes:
        weights = rng.random(treeplex.num_sequences)
        plans.append(treeplex.realization(treeplex.behavior(weights)))
    found = cut(game, after_chance(game, 2))
    parts = endgames(found)
    inside = sum(part.form.value(plans[0][part.sequences[0]], plans[1][part.sequences[1]]) for part in parts)
    leaves = game.terminals[found.endgame_of_node[game.terminals] < 0]
    index, values = game.chance_reach
    reach = np.array([float(v) for v in values])[index[leaves]]
    for player in (0, 1):
        reach = reach * plans[player][game.sequences[player, leaves]]
    outside = float(reach @ game.payoff_floats[game.outcome[leaves], 0])
    assert inside + outside == pytest.approx(form.value(*plans), abs=1e-12)


def test_a_public_history_is_a_cut() -> None:
    game = tree("leduc")
    found = cut(game, after_history(game, "bet–call–K"))
    assert [found.name(k) for k in range(found.num_endgames)] == ["· > bet > call > K"]


def test_refusals() -> None:
    kuhn, leduc = tree("kuhn"), tree("leduc")
    with pytest.raises(UnsupportedGameError, match="goes through an information set"):
        cut(kuhn, lambda node: kuhn.path(node).startswith("JQ"))
    with pytest.raises(ParameterError, match="no endgame"):
        cut(kuhn, lambda node: False)
    with pytest.raises(ParameterError, match="no history"):
        after_history(leduc, "bet–bet")
    with pytest.raises(ParameterError, match="there is no endgame 99"):
        endgame(cut(leduc, after_chance(leduc, 2)), 99)
    with pytest.raises(ParameterError, match="count"):
        after_chance(leduc, 0)
