"""Who gets the chips: layered pots, ties, and chips that cannot be split.

Every amount that somebody put in opens a layer. Those who put in that much contribute to it, and the best hand among
them that did not fold takes it. Layers with the same contenders form one pot. A layer without contenders goes back to
its payer (an uncalled bet). Equal hands share a pot; what does not divide goes, one unit each, to as many of them
drawn by lot (``odd_chip="random"``) or to the first ones in order of seats (``"first-seat"``).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

from equiform.models.common.arguments import require_name

ODD_CHIP = ("random", "first-seat")

#: A probability and the stacks that follow.
Settled = tuple[Fraction, tuple[int, ...]]


def settle(
    stacks: Sequence[int], bets: Sequence[int], places: Sequence[int | None], *, odd_chip: str = "random"
) -> list[Settled]:
    """Return the stacks after a hand, with their probabilities.

    Parameters
    ----------
    stacks, bets
        Chips before the hand and chips put in, in whole units.
    places
        How many of the other hands are stronger, for hands that are shown; None for those that folded.
    odd_chip
        One of :data:`ODD_CHIP`.

    >>> settle([3, 5, 9], [3, 5, 5], [0, 2, 1])      # the short stack wins the main pot, the third player the side pot
    [(Fraction(1, 1), (9, 0, 8))]
    >>> settle([2, 1], [1, 1], [0, 0])
    [(Fraction(1, 1), (2, 1))]
    """
    require_name(odd_chip, ODD_CHIP, "rule for odd chips", "settlement")
    rest = [stack - bet for stack, bet in zip(stacks, bets, strict=True)]
    pots: dict[tuple[int, ...], int] = {}
    below = 0
    for level in sorted(set(bets) - {0}):
        payers = [i for i, bet in enumerate(bets) if bet >= level]
        contenders = tuple(i for i in payers if places[i] is not None)
        if contenders:
            pots[contenders] = pots.get(contenders, 0) + (level - below) * len(payers)
        else:
            for i in payers:
                rest[i] += level - below
        below = level
    return _share(rest, [(size, _winners(who, places)) for who, size in pots.items()], odd_chip)


def _winners(contenders: tuple[int, ...], places: Sequence[int | None]) -> list[int]:
    best = min(p for i in contenders if (p := places[i]) is not None)
    return [i for i in contenders if places[i] == best]


def _share(rest: list[int], pots: list[tuple[int, list[int]]], odd_chip: str) -> list[Settled]:
    """Split every pot among its winners, in all ways that odd chips may fall."""
    lots = []
    for size, winners in pots:
        odd = size % len(winners)
        draws = list(combinations(winners, odd)) if odd_chip == "random" else [tuple(winners[:odd])]
        lots.append([(winners, size // len(winners), lucky, len(draws)) for lucky in draws])
    found: dict[tuple[int, ...], Fraction] = {}
    for draw in product(*lots):
        stacks, chance = list(rest), Fraction(1)
        for winners, share, lucky, ways in draw:
            chance /= ways
            for i in winners:
                stacks[i] += share + (i in lucky)
        key = tuple(stacks)
        found[key] = found.get(key, Fraction(0)) + chance
    return [(chance, stacks) for stacks, chance in sorted(found.items())]
