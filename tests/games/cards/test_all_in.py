"""All-in tables against brute force, against each other, and against figures that everybody knows."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from equiform.games.cards.all_in.boards import GHOST, N_PAIRS, RANK_PAIRS, boards
from equiform.games.cards.all_in.counting import N_ORDERS, ORDERS, count_orders
from equiform.games.cards.all_in.equities import showdown_equities
from equiform.games.cards.all_in.tables import THIRD_HANDS, order_after, three_way_table, two_way_table
from equiform.games.cards.card import STANDARD, CardError, DuplicateCardError
from equiform.games.cards.charts import starting_hand, starting_hands
from equiform.games.cards.evaluator import strengths
from tests.helpers.refusals import refusal


def concrete(name: str) -> list[tuple[int, int]]:
    """All pairs of cards of a class."""
    ranks = [STANDARD.ranks.index(r) for r in name[:2]]
    cards = [[4 * r + s for s in range(4)] for r in ranks]
    pairs = {tuple(sorted(p)) for p in product(*cards) if p[0] != p[1]}
    suited = {"s": {True}, "o": {False}}.get(name[2:], {True, False})
    return sorted((a, b) for a, b in pairs if (a % 4 == b % 4) in suited)


def random_orders(names: tuple[str, str, str], n: int, seed: int) -> NDArray[np.int64]:
    """Deal boards to random disjoint hands of three classes, with the evaluator, and count the orders."""
    rng = np.random.default_rng(seed)
    deals = [d for d in product(*map(concrete, names)) if len({c for h in d for c in h}) == 6]
    chosen = np.array(deals)[rng.integers(0, len(deals), n)].reshape(n, 6)
    boards_ = np.empty((n, 5), dtype=np.int64)
    for k in range(n):
        boards_[k] = rng.choice(np.setdiff1d(np.arange(52), chosen[k]), 5, replace=False)
    s = np.stack([strengths(np.hstack([chosen[:, 2 * p : 2 * p + 2], boards_])) for p in range(3)]).astype(np.int64)
    stronger = (s[None] > s[:, None]).sum(axis=1).T
    found = np.zeros(N_ORDERS, dtype=np.int64)
    for order, places in enumerate(ORDERS):
        found[order] = (stronger == places).all(axis=1).sum()
    return found


def counted(names: tuple[str, ...]) -> NDArray[np.int64]:
    pairs, combo = [], 0
    for k, name in enumerate(names):
        ranks = sorted((STANDARD.ranks.index(r) for r in name[:2]), reverse=True)
        pairs.append(next(p for p, pair in enumerate(RANK_PAIRS.tolist()) if pair == ranks))
        combo |= name.endswith("s") << k
    out = np.zeros((8, N_ORDERS), dtype=np.int64)
    count_orders(np.array([*pairs, *[GHOST] * (3 - len(names))]), RANK_PAIRS, boards(), out)
    return out[combo]


def exact_orders(names: tuple[str, str, str]) -> NDArray[np.int64]:
    """Every deal and every board, by the evaluator."""
    found = np.zeros(N_ORDERS, dtype=np.int64)
    for deal in product(*map(concrete, names)):
        if len({c for h in deal for c in h}) < 6:
            continue
        rest = [c for c in range(52) if c not in {c for h in deal for c in h}]
        every = np.fromiter((c for b in combinations(rest, 5) for c in b), dtype=np.uint8).reshape(-1, 5)
        s = np.stack(
            [strengths(np.hstack([np.tile(np.array(h, dtype=np.uint8), (len(every), 1)), every])) for h in deal]
        )
        stronger = (s[None] > s[:, None]).sum(axis=1).T
        for order, places in enumerate(ORDERS):
            found[order] += (stronger == places).all(axis=1).sum()
    return found


@pytest.mark.parametrize(
    "names",
    [("AKs", "QJo", "77"), ("AA", "AKs", "AKo"), ("T9s", "T9s", "98s"), ("72o", "32s", "K2o"), ("55", "55", "A4s")],
)
def test_orders_agree_with_random_deals(names: tuple[str, str, str]) -> None:
    n = 20_000
    ours = counted(names) / counted(names).sum()
    sample = random_orders(names, n, seed=3) / n
    # five standard deviations: fails by chance once in a million
    assert (np.abs(ours - sample) <= 5 * np.sqrt(ours * (1 - ours) / n) + 1e-9).all()


@pytest.mark.slow
@pytest.mark.parametrize("names", [("AA", "AKs", "AQs"), ("AA", "KK", "AKs"), ("T9s", "T8s", "98s")])
def test_orders_are_exact(names: tuple[str, str, str]) -> None:
    assert counted(names).tolist() == exact_orders(names).tolist()


def test_all_deals_are_counted() -> None:
    """Five aces are not a deal; otherwise all disjoint hands times all boards."""
    assert counted(("AA", "AA", "AKs")).sum() == 0
    for names in (("AKs", "QJo", "77"), ("AA", "AKs", "AKo"), ("55", "55", "64s")):
        deals = sum(len({c for h in d for c in h}) == 6 for d in product(*map(concrete, names)))
        assert counted(names).sum() == deals * comb(46, 5)


def test_two_hands_are_three_with_the_third_one_summed_out() -> None:
    """Summed over 169 third hands, the orders of three are 903 times the outcomes of two."""
    first, second = "A9s", "99"
    total = np.sum([counted((first, second, third)) for third in starting_hands()], axis=0)
    folded = [sum(int(total[k]) for k, o in enumerate(ORDERS) if np.sign(o[1] - o[0]) == sign) for sign in (1, -1, 0)]
    table = two_way_table()[starting_hand(first), starting_hand(second)]
    assert folded == (THIRD_HANDS * table).tolist()


def test_the_two_way_table() -> None:
    table = two_way_table()
    assert (table[..., 0] == table[..., 1].T).all() and (table[..., 2] == table[..., 2].T).all()
    assert table.sum() == comb(52, 2) * comb(50, 2) * comb(48, 5)
    won, lost, tied = table[starting_hand("AA"), starting_hand("KK")]
    assert round((won + tied / 2) / (won + lost + tied), 4) == 0.8195  # as in every book


def test_a_table_knows_the_players_places() -> None:
    for places in ((0, 1, 2), (2, 0, 1), (1, 0, 2)):
        for order, renumbered in enumerate(order_after(places)):
            assert ORDERS[renumbered] == tuple(ORDERS[order][k] for k in places)


@pytest.mark.slow
def test_the_three_way_table() -> None:
    table = three_way_table()
    two = two_way_table()
    dense = table.dense(np.float64)
    assert dense.sum() == comb(52, 2) * comb(50, 2) * comb(48, 2) * comb(46, 5)
    signs = np.array([np.sign(o[1] - o[0]) for o in ORDERS])
    for outcome, sign in enumerate((1, -1, 0)):
        assert (dense[signs == sign].sum(axis=(0, 3)) == THIRD_HANDS * two[..., outcome]).all()
    for names in (("AKs", "QJo", "77"), ("72o", "32s", "K2o")):
        a, b, c = (starting_hand(n) for n in names)
        assert table.orders(a, b, c).tolist() == counted(names).tolist() == dense[:, a, b, c].tolist()


def test_pairs_of_ranks() -> None:
    assert len(RANK_PAIRS) == N_PAIRS == 91


# -- hands against hands -----------------------------------------------------------------------------------------------


def test_aces_against_kings() -> None:
    aces, kings = showdown_equities(["AcAd", "KcKd"])
    assert aces.deals == comb(48, 5) and aces.exact + kings.exact == 1
    assert round(float(aces.exact), 4) == 0.8264  # suits shared: more than the class average


def test_three_hands_share_by_turns() -> None:
    found = showdown_equities(["AcKd", "AdKc", "AhKs"], "QsJsTs")
    assert sum(e.exact for e in found) == 1
    spades = found[2]  # a straight on the board's flop for all; only the spade holder improves
    assert spades.exact > Fraction(1, 3) and spades.ties < spades.deals


def test_showdowns_refuse_cards_dealt_twice() -> None:
    refusal(DuplicateCardError, lambda: showdown_equities(["AcAd", "AcKd"]), "Ac appears twice")
    refusal(CardError, lambda: showdown_equities(["AcAd"]), "1 hands")
    refusal(CardError, lambda: showdown_equities(["AcAd", "Kc"]), "two cards, not 1")
