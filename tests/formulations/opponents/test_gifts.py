"""Gifts: the thesis's examples, and the amounts against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.formulations.blocks import plan_values
from equiform.formulations.opponents import gifts
from equiform.formulations.optimization.backends import solve_model
from equiform.formulations.zero_sum import selection
from equiform.models.common.array_types import FloatArray
from equiform.models.sequence_form import SequenceForm, sequence_form
from tests.helpers.games import form, tree


@pytest.mark.parametrize(
    ("name", "player", "expected"),
    [
        ("rps", 0, []),
        ("rps", 1, []),
        ("rpst", 0, [("T", 10 / 3, 10 / 3)]),  # the mean of 4, 3 and 3 against the only equilibrium strategy
        ("rpst", 1, []),
        ("fig-13.5", 0, [("R", 2.5, 2.5)]),  # 5 instead of the value 5/2
        ("fig-13.6", 0, []),
    ],
)
def test_matrix_games_of_the_thesis(name: str, player: int, expected: list[tuple[str, float, float]]) -> None:
    found = gifts.solve(form(name), player=player)
    assert found.exist == bool(expected)
    assert [g.action for g in found.gifts] == [action for action, _, _ in expected]
    for gift, (_, least, most) in zip(found.gifts, expected, strict=True):
        assert gift.least == pytest.approx(least, abs=1e-8)
        assert gift.most == pytest.approx(most, abs=1e-8)


def test_kuhn_has_exactly_four() -> None:
    """§13.7.1: calling with a J, folding a K, checking a K behind, betting a Q behind."""
    found = gifts.solve(form("kuhn"))
    assert {(g.infoset, g.action) for g in found.gifts} == {
        ("holding J, after bet", "call"),
        ("holding K, after bet", "fold"),
        ("holding K, after check", "check"),
        ("holding Q, after check", "bet"),
    }
    assert found.value == pytest.approx(-1 / 18, abs=1e-9)
    assert not any(g.inherited for g in found.gifts)


def forced_loss(game: SequenceForm, x: FloatArray, sequence: int, value: float) -> float:
    """What an opponent who plays a move and else responds best loses, by a backward pass."""
    opponent = game.treeplexes[1]
    gradient = game.gradient(1, x)
    gradient[gifts.excluded(opponent, sequence)] = -1e6
    return -opponent.best_value(gradient) - value


def test_kuhn_amounts_over_all_equilibria() -> None:
    game = form("kuhn")
    opponent = game.treeplexes[1]
    found = {g.sequence: g for g in gifts.solve(game).gifts}
    treeplex = game.treeplexes[0]
    bets_king = np.zeros(treeplex.num_sequences)
    bets_king[treeplex.sequence("holding K, to open", "bet")] = 1.0
    family = selection.solve_functional(game, bets_king)  # a segment of plans, from α = 0 to α = 1 (Kuhn 1950)
    low, high = family.worst.plans[0], family.best.plans[0]
    assert low is not None and high is not None
    grid = [(1 - alpha) * low + alpha * high for alpha in np.linspace(0, 1, 13)]
    for t in range(1, opponent.num_sequences):
        losses = [forced_loss(game, x, t, -1 / 18) for x in grid]
        if t in found:
            assert found[t].least == pytest.approx(min(losses), abs=1e-8)
            assert found[t].most == pytest.approx(max(losses), abs=1e-8)
        else:
            assert max(losses) < 1e-8


def test_the_other_seat_where_equilibrium_is_unique() -> None:
    """Player 2's strategy is the only one, so that what player 1's moves give is a number; some leave a choice open."""
    game = form("kuhn").flipped()
    treeplex = game.treeplexes[0]
    behavior = np.zeros(treeplex.num_sequences)
    behavior[0] = 1.0
    active = {"J": (1 / 3, 0.0), "Q": (0.0, 1 / 3), "K": (1.0, 1.0)}
    for card, (bets, calls) in active.items():
        for infoset, move, rest, p in (("after check", "bet", "check", bets), ("after bet", "call", "fold", calls)):
            behavior[treeplex.sequence(f"holding {card}, {infoset}", move)] = p
            behavior[treeplex.sequence(f"holding {card}, {infoset}", rest)] = 1 - p
    x = treeplex.realization(behavior)
    found = {g.sequence: g for g in gifts.solve(form("kuhn"), player=1).gifts}
    for t in range(1, game.treeplexes[1].num_sequences):
        loss = forced_loss(game, x, t, 1 / 18)
        if t in found:
            assert found[t].least == pytest.approx(loss, abs=1e-8)
            assert found[t].most == pytest.approx(loss, abs=1e-8)
        else:
            assert loss < 1e-8


def test_two_stages_and_inherited_gifts() -> None:
    """§13.6.3: D in the first stage costs player 1 at least 1; everything after it inherits the gift."""
    found = gifts.solve(form("fig-13.9"), player=1)
    by_move = {(g.infoset, g.action): g for g in found.gifts}
    first = by_move["to open", "D"]
    assert first.most == pytest.approx(3.0, abs=1e-8)  # player 2 plays l on: 4 + 8 becomes 1 + 8
    assert not first.inherited
    assert by_move["after DL", "u"].inherited
    assert ("to open", "U") not in by_move


def test_least_never_exceeds_most_and_needs_binaries_somewhere() -> None:
    game = form("fig-13.9")
    found = gifts.solve(game, player=0)
    assert all(g.least is not None and -1e-9 <= g.least <= g.most + 1e-8 for g in found.gifts)
    model = gifts.build_least(game, found.gifts[0].sequence, value=found.value)
    assert any(not z.fixed for z in model.z.values())


@pytest.mark.parametrize(("name", "player"), [("fig-13.9", 0), ("fig-13.9", 1), ("kuhn", 0), ("rpst", 0)])
def test_the_least_is_attained_by_an_equilibrium_and_by_none_undercut(name: str, player: int) -> None:
    """The program's own plan is an equilibrium that loses the opponent exactly that; sampled ones lose no less."""
    seat = form(name) if player == 0 else form(name).flipped()
    found = gifts.solve(form(name), player=player)
    opponent, rng = seat.treeplexes[1], np.random.default_rng(7)
    towards = rng.standard_normal((8, seat.treeplexes[0].num_sequences))
    sampled = [selection.solve_functional(seat, w, value=found.value).best.plans[0] for w in towards]
    assert found.gifts
    for gift in found.gifts:
        model = gifts.build_least(seat, gift.sequence, value=found.value)
        x = plan_values(solve_model(model), model.plan)
        assert -opponent.best_value(seat.gradient(1, x)) == pytest.approx(found.value, abs=1e-7)
        assert forced_loss(seat, x, gift.sequence, found.value) == pytest.approx(gift.least, abs=1e-7)
        for plan in sampled:
            assert plan is not None
            loss = forced_loss(seat, plan, gift.sequence, found.value)
            assert gift.least is not None and gift.least - 1e-7 <= loss <= gift.most + 1e-7


def test_leduc_upper_ends_match_the_existence_test() -> None:
    game = form("leduc")
    found = gifts.solve(game, least=False)
    assert found.exist and found.gifts
    assert all(g.least is None and g.most > 0 for g in found.gifts)
    # folding a king to a bet cannot be right
    assert any(g.infoset == "holding K, after bet" and g.action == "fold" for g in found.gifts)


def test_existence_takes_two_programs_only() -> None:
    game = tree("kuhn")
    found = gifts.exist(sequence_form(game))
    assert found.exist and found.gifts == ()
    assert found.against_uniform == pytest.approx(1 / 6, abs=1e-9)  # α = 1: 3/18 against uniform play
