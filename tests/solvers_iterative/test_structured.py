"""Payoffs that are never written out: Kronecker sums, prefix sums, and what they save."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from equiform.games.poker.one_card_operator import one_card_operator
from equiform.models import ExtensiveGame, SequenceForm, Treeplex, sequence_form
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError, PayoffError
from equiform.models.payoffs.structured import BoundedPayoff, KroneckerPayoff, KroneckerTerm
from equiform.solvers_iterative import CFR, EGT, FictitiousPlay, IteratedSmoothing, SequenceFormSolver, Until
from tests.helpers.games import tree


def written_out(payoff: BoundedPayoff) -> FloatArray:
    """Multiply by all unit vectors, from both sides."""
    rows = np.array([payoff.times(e) for e in np.eye(payoff.shape[1])]).T
    cols = np.array([payoff.transpose_times(e) for e in np.eye(payoff.shape[0])])
    assert np.abs(rows - cols).max() < 1e-15
    return rows


def order_in(treeplex: Treeplex, other: Treeplex) -> IntArray:
    """Return for each sequence of a treeplex its number in another one with the same keys and actions."""
    place = {key: h for h, key in enumerate(other.infosets)}
    order = np.zeros(treeplex.num_sequences, dtype=np.int64)
    for h, key in enumerate(treeplex.infosets):
        assert treeplex.actions[h] == other.actions[place[key]]
        assert treeplex.infoset_label(h) == other.infoset_label(place[key])
        order[treeplex.start[h] : treeplex.start[h + 1]] = np.arange(
            other.start[place[key]], other.start[place[key] + 1]
        )
    return order


# -- one-card poker by prefix sums -------------------------------------------------------------------------------------


@pytest.mark.parametrize("cards", [2, 3, 13])
def test_prefix_sums_are_the_matrix(cards: int) -> None:
    plain, structured = sequence_form(tree(f"kuhn:cards={cards}")), one_card_operator(cards)
    assert isinstance(structured.payoff, BoundedPayoff)
    orders = [order_in(a, b) for a, b in zip(structured.treeplexes, plain.treeplexes, strict=True)]
    expected = plain.A.toarray()[np.ix_(*orders)]
    assert np.abs(written_out(structured.payoff) - expected).max() < 1e-15
    magnitude = structured.payoff.magnitude()
    assert np.abs(written_out(magnitude) - np.abs(expected)).max() < 1e-15  # type: ignore[arg-type]
    for mine, other, order in zip(structured.treeplexes, plain.treeplexes, orders, strict=True):
        assert (order[mine.parent] == other.parent[[list(other.infosets).index(k) for k in mine.infosets]]).all()
    with pytest.raises(ParameterError, match="two cards"):
        one_card_operator(1)


@pytest.mark.parametrize("build", [lambda g: CFR(g, "cfr+"), EGT, FictitiousPlay, IteratedSmoothing])
def test_every_solver_takes_an_operator(build: Callable[[SequenceForm], SequenceFormSolver]) -> None:
    """200 cards; the value is the rational solution of the linear program."""
    result = build(one_card_operator(200)).run(Until(gap=1e-2, iterations=5000))
    assert result.stopped_by == "gap"
    assert result.checkpoint.lower <= Fraction(-13397, 238800) <= result.checkpoint.upper


MEMORY = """
from pathlib import Path
from equiform.games.poker.one_card_operator import one_card_operator
from equiform.solvers_iterative import CFR, EGT, Until
game = one_card_operator(40_000)
for solver in (CFR(game, "cfr+"), EGT(game)):
    print(solver.run(Until(iterations=40)).nash_conv)
print(int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 1e6)
"""


def test_forty_thousand_cards_fit_into_a_gigabyte() -> None:
    cards = 40_000
    assert 5 * cards * (cards - 1) * (8 + 4) > 10e9  # the explicit matrix: 96 GB
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    cfr_gap, egt_gap, gigabytes = map(float, done.stdout.split())
    assert gigabytes < 1.0
    assert cfr_gap < 0.01 and egt_gap < 0.05


# -- Kronecker sums ----------------------------------------------------------------------------------------------------


def kronecker_form(game: ExtensiveGame) -> SequenceForm:
    """Factor a poker game into betting and cards: F ⊗ B for folds, S ⊗ W for showdowns, a pair of terms per round.

    Information-set keys are (card, public card, betting) with a public card, else (card, betting).
    """
    form = sequence_form(game)
    moves: list[list[tuple[str, str]]] = []  # by player and sequence: the betting, ending in the player's move
    cards: list[list[tuple[int, ...]]] = []
    for treeplex in form.treeplexes:
        pairs = [(treeplex.infosets[h], a) for h in range(treeplex.num_infosets) for a in treeplex.actions[h]]
        moves.append([("", "start"), *((key[-1], a) for key, a in pairs)])  # type: ignore[index]
        cards.append([(), *(tuple(key[:-1]) for key, _ in pairs)])  # type: ignore[index]
    reach_index, reach_values = game.chance_reach
    leaves = game.terminals
    worth: dict[tuple[tuple[str, str], tuple[str, str]], set[float]] = {}
    for z in leaves:
        s, t = (int(game.sequences[p, z]) for p in (0, 1))
        worth.setdefault((moves[0][s], moves[1][t]), set()).add(float(game.payoff_table[game.outcome[z]][0]))
    terms: list[KroneckerTerm] = []
    for showdown in (False, True):
        # a fold is worth the same whatever the cards; in a showdown somebody wins or both draw
        bets = {k: v for k, v in worth.items() if (len(v) > 1) == showdown}
        rows, cols = ([*dict.fromkeys(k[p] for k in bets)] for p in (0, 1))
        for deal in (0, 1):  # both players have moved in the round in which the game ends
            hands = [[*dict.fromkeys(c for c in cards[p] if _round(c) == deal)] for p in (0, 1)]
            left = np.zeros((len(rows), len(cols)))
            right = np.zeros((len(hands[0]), len(hands[1])))
            places = [
                _places(bet, hand, moves[p], cards[p])
                for p, (bet, hand) in enumerate(zip((rows, cols), hands, strict=True))
            ]
            for z in leaves:
                s, t = (int(game.sequences[p, z]) for p in (0, 1))
                pair = (moves[0][s], moves[1][t])
                if pair not in bets or _round(cards[0][s]) != deal:
                    continue
                pay = float(game.payoff_table[game.outcome[z]][0])
                stake = max(map(abs, bets[pair])) if showdown else pay
                left[rows.index(pair[0]), cols.index(pair[1])] = stake
                cell = hands[0].index(cards[0][s]), hands[1].index(cards[1][t])
                right[cell] = float(reach_values[reach_index[z]]) * (np.sign(pay) if showdown else 1.0)
            if left.any():
                terms.append(KroneckerTerm(sp.csr_array(left), sp.csr_array(right), *places))
    return SequenceForm(game.name, form.treeplexes, KroneckerPayoff(form.payoff.shape, terms))


def _round(card: tuple[int, ...]) -> int:
    """Tell the rounds apart: a public card is hidden (negative) in the first."""
    return 0 if len(card) < 2 or card[1] < 0 else 1


def _places(
    bets: list[tuple[str, str]],
    hands: list[tuple[int, ...]],
    moves: list[tuple[str, str]],
    cards: list[tuple[int, ...]],
) -> IntArray:
    number = {pair: s for s, pair in enumerate(zip(moves, cards, strict=True))}
    return np.array([[number.get((bet, hand), -1) for hand in hands] for bet in bets], dtype=np.int64)


@pytest.mark.parametrize("spec", ["one-card:cards=7", "leduc", "leduc:ranks=4"])
def test_poker_is_a_sum_of_kronecker_products(spec: str) -> None:
    game = tree(spec)
    structured = kronecker_form(game)
    assert isinstance(structured.payoff, KroneckerPayoff)
    expected = sequence_form(game).A.toarray()
    assert np.abs(written_out(structured.payoff) - expected).max() < 1e-14
    assert (written_out(structured.payoff.magnitude()) >= np.abs(expected) - 1e-14).all()


def test_solvers_run_on_kronecker_payoffs() -> None:
    game = tree("leduc")
    plain, structured = sequence_form(game), kronecker_form(game)
    for build in (lambda g: CFR(g, "cfr+"), EGT):
        mine, other = build(structured), build(plain)
        for _ in range(20):
            mine.step()
            other.step()
        for x, y in zip(mine.average_plans, other.average_plans, strict=True):
            assert np.abs(x - y).max() < 1e-6


def test_misplaced_kronecker_terms_are_refused() -> None:
    two = sp.csr_array(np.eye(2))
    places = np.arange(4).reshape(2, 2)
    with pytest.raises(PayoffError, match="do not fit"):
        KroneckerTerm(two, two, places[:1], places)
    with pytest.raises(PayoffError, match="two places"):
        KroneckerTerm(two, two, np.zeros((2, 2), dtype=np.int64), places)
    dense = KroneckerPayoff((4, 4), [KroneckerTerm(two, np.array([[1.0, 2.0], [0.0, 3.0]]), places, places)])
    assert (written_out(dense) == np.kron(np.eye(2), [[1.0, 2.0], [0.0, 3.0]])).all()
