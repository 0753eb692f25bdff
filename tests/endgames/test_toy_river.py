"""Board 22233, aces and queens against kings: 75 of the pot exactly, and three concepts that differ after a check."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import equiform
from equiform.formulations.zero_sum import sequence_form_lp
from equiform.games.cards.card import cards_text, parse
from equiform.games.cards.evaluator import strengths
from equiform.games.poker.betting import betting_tree
from equiform.games.poker.public import public_betting
from equiform.models.common.array_types import IntArray
from equiform.models.extensive import ExtensiveGame
from equiform.models.public.dealing import CardRules, deal_boards
from equiform.models.public.expansion import expand
from equiform.models.public.factors import factored_form
from equiform.models.public.game import PublicGame
from equiform.models.strategy import Strategy


def toy() -> tuple[PublicGame, ExtensiveGame]:
    def best(hands: IntArray, board: IntArray) -> IntArray:
        return strengths(np.hstack([hands, np.tile(board, (len(hands), 1))])).astype(np.int64)

    rules = CardRules(13, 4, 2, parse("2s2h2d3s3h"), (), best, cards_text)
    rank = rules.holdings // 4
    pair = rank[:, 0] == rank[:, 1]
    ranges = (pair & np.isin(rank[:, 0], [10, 12])).astype(float), (pair & (rank[:, 0] == 11)).astype(float)
    dealt = deal_boards(rules, ranges)
    bets = betting_tree(ante=50, rounds=1, sizes=lambda now: [] if now.raises else [("all-in", 150)])
    game = PublicGame("toy river", public_betting(bets), dealt.boards, dealt=dealt)
    return game, expand(game)


def frequency(game: PublicGame, strategy: Strategy, player: int, rank: str, after: str, action: str) -> Fraction:
    table = game.boards.hands[player]
    weights = np.bincount(table.member_hand, table.member_weight).tolist()
    weight = dict(zip(table.hand_names(0), map(Fraction, weights), strict=True))
    rows = [(weight[label[8:12]], row) for label, row in strategy.rows() if label[8] == rank and label.endswith(after)]
    assert rows
    return sum((w * row[action] for w, row in rows), Fraction(0)) / sum(w for w, _ in rows)


@pytest.mark.parametrize(("concept", "shoves"), [("nash", None), ("une", Fraction(1, 2)), ("qpe", Fraction(1, 1000))])
def test_three_concepts_in_rationals(concept: str, shoves: Fraction | None) -> None:
    game, tree = toy()
    epsilon: dict[str, Any] = {"epsilon": Fraction(1, 1000)} if concept == "qpe" else {}
    solved = equiform.solve(tree, concept=concept, exact=True, **epsilon)
    assert solved.exact is not None
    first, second = solved.strategies
    bets, calls = frequency(game, first, 0, "Q", "to open", "all-in"), frequency(game, second, 1, "K", "all-in", "call")
    if concept == "qpe":  # every move slips once in a thousand times: kings check, and the rest is nearly as it was
        assert abs(50 + solved.exact.value - 75) < Fraction(1, 20)
        assert abs(bets - Fraction(1, 2)) < Fraction(1, 100) and abs(calls - Fraction(1, 2)) < Fraction(1, 100)
    else:
        assert 50 + solved.exact.value == 75
        assert (bets, calls) == (Fraction(1, 2), Fraction(1, 2))
    if shoves is not None:
        assert frequency(game, second, 1, "K", "after check", "all-in") == shoves


def test_the_sparsified_program_agrees() -> None:
    game, _ = toy()
    for player in (0, 1):
        assert sequence_form_lp.solve(factored_form(game), player=player).value == pytest.approx(25.0, abs=1e-9)
