"""Colexicographic indices and hand classes: known counts, no gaps, invariance, and a brute-force partition."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiform.games.cards.card import KUHN, LEDUC, CardError, Deck, DuplicateCardError
from equiform.games.cards.indexing import HandIndexer, colex_index, colex_unindex, hand_indexer, multiset_index
from equiform.models.common.errors import ParameterError


@pytest.mark.parametrize(("n", "k"), [(52, 2), (13, 5), (10, 7), (6, 1)])
def test_colex_numbers_all_sets_without_gaps(n: int, k: int) -> None:
    sets = np.array(list(combinations(range(n), k)))
    indices = colex_index(sets[:, ::-1])
    assert sorted(indices) == list(range(comb(n, k)))
    assert np.array_equal(colex_unindex(indices, k), sets)


def test_colex_of_seven_cards() -> None:
    """Thesis 9.7.1 prints C(52,7) as 133784650; its digits 5 and 6 are swapped."""
    assert colex_index([[45, 46, 47, 48, 49, 50, 51]])[0] == comb(52, 7) - 1 == 133784560 - 1


def test_multisets_of_three_starting_hands() -> None:
    """Thesis 9.7.2 prints 881805; C(171,3) is 818805."""
    small = np.array(list(combinations_with_replacement(range(9), 3)))
    assert sorted(multiset_index(small)) == list(range(comb(11, 3)))
    assert multiset_index([[168, 168, 168]])[0] == comb(171, 3) - 1 == 818805 - 1


def test_colex_refuses_what_is_not_a_set() -> None:
    with pytest.raises(ParameterError, match="twice"):
        colex_index([[3, 3]])
    with pytest.raises(ParameterError):
        colex_index([[-1, 3]])
    with pytest.raises(ParameterError):
        colex_unindex([-1], 2)
    with pytest.raises(ParameterError):
        multiset_index([[-1]])


# Waugh 2013 and Johanson 2013 (Measuring the Size of Large No-Limit Poker Games); thesis 6.1 for the 1,755 flops.
@pytest.mark.parametrize(
    ("rounds", "sizes"),
    [
        ((2, 3, 1, 1), (169, 1286792, 55190538, 2428287420)),
        ((3,), (1755,)),
        ((5,), (134459,)),
    ],
)
def test_known_numbers_of_classes(rounds: tuple[int, ...], sizes: tuple[int, ...]) -> None:
    assert HandIndexer(rounds).sizes == sizes


def burnside(rounds: tuple[int, ...], deck: Deck) -> int:
    """Classes by Burnside's lemma: the mean number of deals that a suit permutation leaves alone.

    A permutation moves cards along cycles, one copy of the suit cycles for every rank; a deal is fixed when every round
    is a union of cycles. Rounds draw cycles one after the other: a product of generating functions.
    """
    total = 0
    for permutation in permutations(range(deck.n_suits)):
        cycles: list[int] = []
        seen: set[int] = set()
        for suit in range(deck.n_suits):
            length = 0
            while suit not in seen:
                seen.add(suit)
                suit, length = permutation[suit], length + 1
            if length:
                cycles.append(length)
        ways = {(0,) * len(rounds): 1}
        for length in cycles * deck.n_ranks:
            grown = dict(ways)
            for dealt, count in ways.items():
                for r, size in enumerate(rounds):
                    if dealt[r] + length <= size:
                        more = (*dealt[:r], dealt[r] + length, *dealt[r + 1 :])
                        grown[more] = grown.get(more, 0) + count
            ways = grown
        total += ways.get(rounds, 0)
    count, rest = divmod(total, len(list(permutations(range(deck.n_suits)))))
    assert rest == 0
    return count


@pytest.mark.parametrize(
    "deck", [LEDUC, KUHN, Deck("three suits", "789TJQ", "cdh"), Deck("standard", "23456789TJQKA", "cdhs")]
)
@pytest.mark.parametrize(
    "rounds", [(1,), (1, 1), (2, 1), (1, 2), (3,), (4,), (5,), (1, 1, 1), (2, 4), (2, 5), (2, 3, 1, 1)]
)
def test_numbers_of_classes_follow_from_burnside(deck: Deck, rounds: tuple[int, ...]) -> None:
    if sum(rounds) > len(deck):
        with pytest.raises(ParameterError):
            HandIndexer(rounds, deck)
        return
    assert HandIndexer(rounds, deck).sizes[-1] == burnside(rounds, deck)


@pytest.mark.parametrize("rounds", [(2, 1), (1, 1, 1), (3,)])
@pytest.mark.parametrize("deck", [LEDUC, Deck("three suits", "789T", "cdh"), Deck("four suits", "789", "cdhs")])
def test_classes_are_exactly_the_orbits(deck: Deck, rounds: tuple[int, ...]) -> None:
    """Brute force: canonicalise every deal by trying all suit permutations, and compare the partitions."""
    indexer = HandIndexer(rounds, deck)
    deals = np.array(list(permutations(range(len(deck)), sum(rounds))))

    def canonical(deal: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        images = []
        for new_suit in permutations(range(deck.n_suits)):
            cards = [c // deck.n_suits * deck.n_suits + new_suit[c % deck.n_suits] for c in deal]
            ends = np.cumsum(rounds)
            images.append(tuple(tuple(sorted(cards[e - k : e])) for e, k in zip(ends, rounds, strict=True)))
        return min(images)

    by_orbit: dict[tuple[tuple[int, ...], ...], set[int]] = {}
    for deal, index in zip(deals, indexer.index(deals), strict=True):
        by_orbit.setdefault(canonical(tuple(deal)), set()).add(int(index))
    assert all(len(indices) == 1 for indices in by_orbit.values())
    assert sorted(min(indices) for indices in by_orbit.values()) == list(range(indexer.sizes[-1]))


@pytest.mark.parametrize("round_", [0, 1, 2, 3])
def test_representatives_have_their_own_index(round_: int) -> None:
    indexer = hand_indexer(2, 3, 1, 1)
    n = indexer.sizes[round_]
    indices = np.arange(n) if n < 2_000_000 else np.random.default_rng(round_).integers(0, n, 200_000)
    deals = indexer.deals(round_, indices)
    assert np.array_equal(indexer.index(deals), indices)
    assert (np.diff(deals[:, :2]) > 0).all()


@given(st.permutations(range(52)), st.permutations(range(4)), st.permutations(range(3)))
def test_renaming_suits_and_reordering_a_round_change_nothing(
    shuffled: list[int], new_suit: list[int], flop_order: list[int]
) -> None:
    deal = shuffled[:7]
    renamed = [4 * (c // 4) + new_suit[c % 4] for c in deal]
    flop = [renamed[2 + i] for i in flop_order]
    indexer = hand_indexer(2, 3, 1, 1)
    other = [renamed[1], renamed[0], *flop, *renamed[5:]]
    for size in (2, 5, 6, 7):
        assert indexer.index([deal[:size]])[0] == indexer.index([other[:size]])[0]


def test_orbits_count_all_deals() -> None:
    for rounds, deals in (((2, 3), comb(52, 2) * comb(50, 3)), ((5,), comb(52, 5)), ((3, 1), comb(52, 3) * 49)):
        indexer = hand_indexer(*rounds)
        representatives = indexer.deals(len(rounds) - 1, np.arange(indexer.sizes[-1]))
        assert indexer.orbits(representatives).sum() == deals


def test_bad_deals_are_refused() -> None:
    indexer = hand_indexer(2, 3)
    with pytest.raises(DuplicateCardError):
        indexer.index([[0, 1], [7, 7]])
    with pytest.raises(CardError, match="52"):
        indexer.index([[0, 52]])
    with pytest.raises(CardError, match="2 or 5 per row"):
        indexer.index([[0, 1, 2]])
    with pytest.raises(ParameterError, match="round is 2"):
        indexer.deals(2, [0])
    with pytest.raises(ParameterError, match="168"):
        indexer.deals(0, [169])
    with pytest.raises(ParameterError, match="seven"):
        HandIndexer((2, 3, 1, 2))
    with pytest.raises(ParameterError, match="too large"):
        HandIndexer((2,), Deck("five suits", "AKQ", "abcde"))
