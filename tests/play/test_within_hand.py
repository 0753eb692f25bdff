"""Responding again within a hand (thesis §13.6.3): gifts of this hand are used, and nothing else is risked."""

from __future__ import annotations

import numpy as np
import pytest

from equiform.formulations.opponents import safe_response
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.event_histories import event_histories
from equiform.play.agents.within_hand import continue_hand
from equiform.play.seat import Seat, take_seat
from tests.helpers.games import random_plan


def staged_seat() -> tuple[Seat, FloatArray, FloatArray]:
    """Figure 13.9 from player 2's side: the subgame-perfect plan plays left everywhere; the model says D, then d."""
    seat = take_seat("fig-13.9", 1)
    own, theirs = seat.own, seat.opponent
    left = np.zeros(own.num_sequences)
    left[0] = left[own.start[:-1]] = 1.0
    model = np.zeros(theirs.num_sequences)
    model[0] = model[theirs.sequence("to open", "U")] = 1.0
    for first in ("U", "D"):
        for second in ("L", "R"):
            model[theirs.sequence(f"after {first}{second}", "d" if first == "D" else "u")] = 1.0
    return seat, own.realization(left), model


def node_at(seat: Seat, path: str) -> int:
    return next(n for n in range(seat.game.num_nodes) if seat.game.path(n) == path)


def test_a_gift_is_used_within_the_hand_of_figure_13_9() -> None:
    seat, plan, model = staged_seat()
    assert seat.exploitability(plan) == pytest.approx(0, abs=1e-9)
    after = continue_hand(seat, plan, node_at(seat, "D > L"), model)
    right = seat.own.sequence("after DL", "r")
    assert after.gift == pytest.approx(3) and after.gain == pytest.approx(2)
    assert after.plan[right] == pytest.approx(1)
    assert seat.exploitability(after.plan) == pytest.approx(0, abs=1e-9)
    changed = np.flatnonzero(np.abs(after.plan - plan) > 1e-9)
    assert set(changed) == {right, seat.own.sequence("after DL", "ℓ") if "ℓ" in seat.own.actions[1] else right - 1}


def test_without_a_gift_nothing_is_risked_in_figure_13_9() -> None:
    seat, plan, model = staged_seat()
    theirs = seat.opponent
    tempting = model.copy()
    tempting[theirs.sequence("after UL", "u")], tempting[theirs.sequence("after UL", "d")] = 0.0, 1.0
    after = continue_hand(seat, plan, node_at(seat, "U > L"), tempting)
    assert after.gift == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(after.plan, plan, atol=1e-9)


@pytest.mark.parametrize(("name", "player"), [("kuhn", 0), ("kuhn:cards=5", 1), ("leduc", 0), ("leduc", 1)])
def test_continuing_after_every_history_at_once_is_still_safe(name: str, player: int) -> None:
    """Gifts are not spent twice: the plan patched after all first histories is as safe as the one before."""
    seat = take_seat(name, player)
    plan = 0.5 * (seat.own.realization(seat.equilibrium[0]) + random_plan(seat.own, np.random.default_rng(1)))
    rng = np.random.default_rng(4)
    model = seat.opponent.behavior(rng.standard_exponential(seat.opponent.num_sequences) ** 3)
    histories = event_histories(seat.game).of_node
    game = seat.game
    theirs = np.flatnonzero(game.turn[game.parent[1:]] == 1 - player) + 1
    open_nodes = [
        n for n in theirs.tolist() if game.turn[n] == player and seat.opponent.depth[game.sequences[1 - player, n]] == 1
    ]
    _, first = np.unique(histories[open_nodes], return_index=True)
    behavior = seat.own.behavior(plan)
    gained = 0.0
    for k in first.tolist():
        after = continue_hand(seat, plan, open_nodes[k], model)
        new = seat.own.behavior(after.plan, unreached=behavior)
        changed = np.abs(after.plan - plan) > 1e-9
        infosets = np.unique(seat.own.infoset_of[np.flatnonzero(changed)])
        for h in infosets.tolist():
            own = slice(int(seat.own.start[h]), int(seat.own.start[h + 1]))
            behavior[own] = new[own]
        gained += after.gain
        assert seat.exploitability(after.plan) <= seat.exploitability(plan) + 1e-8
    assert gained > 1e-3
    assert seat.exploitability(seat.own.realization(behavior)) <= seat.exploitability(plan) + 1e-8


def test_from_the_root_on_a_hand_is_a_safe_response() -> None:
    seat = take_seat("kuhn")
    plan = random_plan(seat.own, np.random.default_rng(5))
    model = seat.opponent.behavior(np.random.default_rng(2).standard_exponential(seat.opponent.num_sequences))
    after = continue_hand(seat, plan, 0, model)
    loss = seat.exploitability(plan)
    response = safe_response.solve(seat.form, seat.opponent.realization(model), epsilon=loss)
    assert response.plans[0] is not None
    gradient = seat.form.gradient(0, seat.opponent.realization(model))
    assert after.gift == 0 and after.gain == pytest.approx(float(gradient @ (response.plans[0] - plan)), abs=1e-7)
    for outside in (-1, seat.game.num_nodes):
        with pytest.raises(ParameterError, match="no node"):
            continue_hand(seat, plan, outside, model)
