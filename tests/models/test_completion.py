"""What strategies do where their own plan never arrives: marked as unreached, and never a dominated move."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.registry import load_game
from equiform.models import Strategy
from equiform.models.common.errors import ParameterError
from equiform.models.game import Game
from equiform.validation.exact.equilibrium import exact_equilibrium


def solved(game: Game, exact: bool, unreached: str) -> list[Strategy]:
    if exact:
        return list(exact_equilibrium(game, unreached=unreached).strategies)
    return [s for s in sequence_form_lp.solve(game, unreached=unreached).strategies if s is not None]


def folded_pairs(strategy: Strategy) -> list[str]:
    """List the information sets of Leduc at which a pair, which cannot lose, is folded with positive probability."""
    pairs = [f"holding {rank}, board {rank}" for rank in "JQK"]
    return [
        label
        for label, row in strategy.rows()
        if any(label.startswith(pair) for pair in pairs)
        and float(row.get("fold", 0)) > 0
        and label in strategy.unreached
    ]


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("player", [0, 1])
def test_pairs_are_not_folded_where_the_equilibrium_never_comes(exact: bool, player: int) -> None:
    game = load_game("leduc")
    filled, uniform = (
        (exact_equilibrium(game, unreached=u) if exact else sequence_form_lp.solve(game, unreached=u)).strategies[
            player
        ]
        for u in ("best-response", "uniform")
    )
    assert filled is not None and uniform is not None
    assert folded_pairs(uniform)  # uniform play folds a pair a third of the time
    assert not folded_pairs(filled)
    assert filled.unreached == uniform.unreached


@pytest.mark.parametrize("exact", [False, True])
def test_the_completion_changes_nothing_that_is_reached(exact: bool) -> None:
    game = load_game("leduc")
    for filled, uniform in zip(solved(game, exact, "best-response"), solved(game, exact, "uniform"), strict=True):
        reached = np.repeat(filled.reached, np.diff(filled.treeplex.start))
        np.testing.assert_allclose(filled.floats[1:][reached], uniform.floats[1:][reached], atol=1e-9)


def test_reached_follows_the_players_own_moves() -> None:
    """In Kuhn poker player 1 who always bets never faces the bet after a check."""
    treeplex = load_game("kuhn").treeplexes[0]
    table = {
        treeplex.infoset_label(h): {a: Fraction(a in ("bet", "call")) for a in treeplex.actions[h]}
        for h in range(treeplex.num_infosets)
    }
    strategy = Strategy.from_table(treeplex, table)
    assert sorted(strategy.unreached) == [f"holding {card}, after check–bet" for card in "JKQ"]
    assert strategy.reached.sum() == 3


def test_an_unknown_completion_is_refused() -> None:
    with pytest.raises(ParameterError, match="best-response"):
        sequence_form_lp.solve(load_game("kuhn"), unreached="guess")
