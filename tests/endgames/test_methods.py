"""Re-solving: four programs, the games they stand for, safety in rationals, and what the papers prove."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from equiform.endgames.card_blueprint import Groups, card_blueprint, groupings, parse_groups, pick_groupings
from equiform.endgames.extract import endgame_game, gadget_game, margin_game
from equiform.endgames.methods import METHODS, Blueprint, resolve
from equiform.formulations.endgames import joint, max_margin
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.models.common.errors import ParameterError, StrategyError, UnsupportedGameError
from equiform.models.sequence_form import sequence_form
from equiform.models.strategy import Strategy
from equiform.validation.certificates.certificate import certify
from equiform.validation.exact.endgames import resolve_exactly, rounded
from tests.helpers.blueprints import at_equilibrium
from tests.helpers.games import tree

LEDUC: list[tuple[Groups, Groups]] = [((0, 0, 1), (0, 0, 1)), ((0, 1, 1), (0, 0, 0))]


@pytest.mark.parametrize("groups", LEDUC)
@pytest.mark.parametrize("player", [0, 1])
def test_programs_are_the_games_they_stand_for(groups: tuple[Groups, Groups], player: int) -> None:
    """The optimum of each program is the value of the extracted game, found by another program on another tree."""
    blueprint = card_blueprint(tree("leduc"), groups)
    plans = [s.plan for s in blueprint.strategies]
    sign = 1.0 if player == 0 else -1.0
    results = {m: resolve(blueprint, m, player=player) for m in ("unsafe", "resolve", "max-margin")}
    entered = [e for e in blueprint.endgames if e.entry_reach(plans).sum() > 0]
    own = [e for e in blueprint.endgames if e.class_reach(1 - player, plans[player]).sum() > 0]
    assert len(results["unsafe"].results) == len(entered) and len(results["resolve"].results) == len(own)
    for endgame, found in zip(entered, results["unsafe"].results, strict=True):
        game = endgame_game(endgame, plans).game
        assert found.objective == pytest.approx(sign * sequence_form_lp.solve(game).value, abs=1e-7)
    for k, endgame in enumerate(own):
        gadget = gadget_game(endgame, player, plans[player]).game
        margin = margin_game(endgame, player, plans[player]).game
        value = results["resolve"].results[k].objective
        assert value == pytest.approx(sign * sequence_form_lp.solve(gadget).value, abs=1e-7)
        best = results["max-margin"].results[k].objective
        assert best == pytest.approx(sign * sequence_form_lp.solve(margin).value, abs=1e-7)
        assert best > -1e-9


@pytest.mark.parametrize("groups", LEDUC)
@pytest.mark.parametrize("player", [0, 1])
def test_gadget_and_max_margin_are_safe_exactly(groups: tuple[Groups, Groups], player: int) -> None:
    """In rationals: never more exploitable than the blueprint; a walk of the tree in floats agrees."""
    blueprint = card_blueprint(tree("leduc"), groups)
    near = (rounded(blueprint.strategies[0], 100), rounded(blueprint.strategies[1], 100))
    exact = Blueprint(blueprint.cut, blueprint.form, near, blueprint.endgames)
    for method in ("resolve", "max-margin"):
        found = resolve_exactly(exact, method, player=player)
        assert isinstance(found.gain, Fraction) and found.gain >= 0
        strategies = list(exact.strategies)
        strategies[player] = found.strategy
        worth = certify(exact.cut.game, [Strategy(s.treeplex, s.floats) for s in strategies]).best_responses[1 - player]
        assert -worth == pytest.approx(float(found.guarantee), abs=1e-12)


@pytest.mark.parametrize("player", [0, 1])
def test_joint_bounds_every_method(player: int) -> None:
    blueprint = card_blueprint(tree("leduc"), ((0, 0, 1), (0, 1, 1)))
    value = sequence_form_lp.solve(blueprint.form).value
    found = {m: resolve(blueprint, m, player=player) for m in METHODS}
    best = found["joint"].exploitability(value)
    assert best > 0
    for name, resolved in found.items():
        assert resolved.exploitability(value) >= best - 1e-9, name
        trunk = blueprint.cut.trunk_sequences(player)
        assert (resolved.strategy.floats[trunk] == blueprint.strategies[player].floats[trunk]).all(), name
    assert found["resolve"].gain > -1e-9 and found["max-margin"].gain > -1e-9


def test_joint_without_a_trunk_is_the_equilibrium_program() -> None:
    form = sequence_form(tree("kuhn"))
    treeplex = form.treeplexes[0]
    only_root = np.arange(treeplex.num_sequences) == 0
    found = joint.solve(form, treeplex.realization(treeplex.uniform()), only_root)
    assert found.value == pytest.approx(-1 / 18, abs=1e-9)


def test_proposition_10() -> None:
    """Sequential rock-paper-scissors at its equilibrium: every reply is right in the endgame, pure ones lose 1."""
    blueprint, value = at_equilibrium("rps-sequential")
    (only,) = blueprint.endgames
    part = endgame_game(only, [s.plan for s in blueprint.strategies])
    reply = part.game.treeplexes[1]
    rock = Strategy(reply, np.array([1.0, 1.0, 0.0, 0.0]))
    chance_only = Strategy(part.game.treeplexes[0], np.ones(part.game.num_sequences(0)))
    assert certify(part.game, [chance_only, rock]).nash_conv == pytest.approx(0.0, abs=1e-9)
    glued = part.glue(1, blueprint.strategies[1].floats, rock)
    treeplex = blueprint.form.treeplexes[1]
    assert -value - blueprint.guarantee(1, treeplex.realization(glued)) == pytest.approx(1.0)
    # the safe methods do not fall into it
    for method in ("resolve", "max-margin", "joint"):
        assert resolve(blueprint, method, player=1).exploitability(value) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("player", [0, 1])
def test_figure_10_2(player: int) -> None:
    """Player 1 chooses a game, then it is played: endgame solving costs nothing, whatever was played below before."""
    game = tree("fig-10.2")
    equilibrium, value = at_equilibrium("fig-10.2")
    first = game.treeplexes[0].uniform()
    first[1:4] = [1.0, 0.0, 0.0]  # rock-paper-scissors, worth as much as the whole game
    pure = game.treeplexes[1].best_behavior(np.arange(float(game.num_sequences(1))))
    old = (Strategy(game.treeplexes[0], first), Strategy(game.treeplexes[1], pure))
    blueprint = Blueprint.of(equilibrium.cut, old)
    assert value == pytest.approx(0.0, abs=1e-9)
    # the floor lets the games be solved, too, that are never chosen
    found = resolve(blueprint, "unsafe", player=player, floor=0.5)
    assert found.exploitability(value) == pytest.approx(0.0, abs=1e-9)


def test_unsafe_can_be_worse_than_the_blueprint_and_the_floor_helps() -> None:
    """Six ranks in pairs: unsafe loses and the safe methods gain."""
    groups = (0, 0, 1, 1, 2, 2)
    blueprint = card_blueprint(tree("leduc:ranks=6"), (groups, groups))
    unsafe = resolve(blueprint, "unsafe", player=0)
    floored = resolve(blueprint, "unsafe", player=0, floor=0.01)
    assert unsafe.gain < -0.1
    assert floored.kept == 0 and floored.gain > unsafe.gain
    assert resolve(blueprint, "max-margin", player=0).gain > 0.0


def test_groupings() -> None:
    assert len(groupings(6)) == 2**5
    pairs = pick_groupings(6, 20, seed=1)
    assert len(set(pairs)) == 20 and pairs == pick_groupings(6, 20, seed=1)
    assert len(pick_groupings(3, 20, seed=1)) == 20 and len(pick_groupings(3, 99, seed=1)) == 24
    assert len(groupings(5, neighbours=False)) == 52  # Bell's number
    with pytest.raises(ParameterError, match="does not assign a group"):
        parse_groups("0,1", 3)


def test_refusals() -> None:
    blueprint, _ = at_equilibrium("kuhn")
    other = tree("leduc").treeplexes[1]
    with pytest.raises(ParameterError, match="method"):
        resolve(blueprint, "hope")
    with pytest.raises(StrategyError, match="does not fit"):
        Blueprint.of(blueprint.cut, (blueprint.strategies[0], Strategy(other, other.uniform())))
    with pytest.raises(UnsupportedGameError, match="not a game of one private and one public card"):
        card_blueprint(tree("liars-dice:sides=2"), ((0, 0), (0, 0)))
    endgame = blueprint.endgames[0]
    zeros = np.zeros(endgame.num_classes(0))
    with pytest.raises(ParameterError, match="positive probability"):
        max_margin.build(endgame.form, zeros, np.zeros(endgame.num_classes(1)), np.zeros(endgame.num_classes(1)))
    with pytest.raises(ParameterError, match="one per class"):
        max_margin.build(endgame.form, np.zeros(99), zeros, zeros + 1.0)
    with pytest.raises(StrategyError, match="not exact"):
        resolve_exactly(blueprint, "resolve")
