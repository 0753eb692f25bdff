"""A certificate says what its profile was evaluated on: what the program never saw."""

from __future__ import annotations

import pytest

from equiform.games import Kuhn
from equiform.games.poker.one_card_operator import one_card_operator
from equiform.models import NormalForm, compile_rules
from equiform.models.game import Game
from equiform.models.strategy import Strategy
from equiform.validation.certificates.certificate import certify

PENNIES = NormalForm.from_matrix("pennies", ("heads", "tails"), ("heads", "tails"), [[1, -1], [-1, 1]])


@pytest.mark.parametrize(
    ("game", "witness"),
    [(compile_rules(Kuhn()), "tree"), (PENNIES, "matrix"), (one_card_operator(5), "operator")],
    ids=["tree", "matrix", "operator"],
)
def test_what_uniform_play_is_evaluated_on(game: Game, witness: str) -> None:
    uniform = [Strategy(treeplex, treeplex.uniform()) for treeplex in game.treeplexes]
    assert certify(game, uniform).witness == witness
