"""From a solved street to the next one: the hands that come there, the pot and the stacks."""

from __future__ import annotations

import dataclasses

import numpy as np

from equiform.games.cards.card import STANDARD, CardsLike
from equiform.games.poker.holdem.bet_sizes import STREETS, BetSizes
from equiform.games.poker.holdem.ranges import Range
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.public.strategy import PublicStrategy


def next_spot(
    spot: Spot,
    strategies: tuple[PublicStrategy, PublicStrategy],
    history: str,
    cards: CardsLike,
    *,
    pot: float | None = None,
    stack: float | None = None,
    sizes: BetSizes | None = None,
) -> Spot:
    """Return the spot that begins after a history, with the hands that the strategies bring there.

    Parameters
    ----------
    spot, strategies
        The trunk: a spot and both players' strategies in it.
    history
        The betting, as the printed tree spells it, up to the deal: ``check–bet 375–call/``.
    cards
        The cards that are dealt then.
    pot, stack
        What is in the middle and behind in fact, if a bet was of another size than the history says.
    sizes
        Bet sizes of the new spot; those of the old one by default.
    """
    tree = spot.betting.tree
    node = tree.find(history)
    street = int(tree.street[node])
    public = (*spot.board, *STANDARD.cards(cards))
    if not history.endswith("/") or tree.turn[node] < 0 or len(public) != len(spot.board) + street:
        raise ParameterError(
            f"no street begins after {history!r} with {len(public)} public cards",
            where=spot.name,
            fix="name the betting up to a deal, as in 'check–check/', and the cards that are dealt",
        )
    first, second = (Range(_weights(spot, strategies[p], node, public)) for p in (0, 1))
    paid = spot.betting.paid[node]
    behind = float(spot.betting.stack + spot.betting.pot / 2 - paid.max())
    betting = dataclasses.replace(
        spot.betting,
        pot=float(paid.sum()) if pot is None else pot,
        stack=behind if stack is None else stack,
        street=STREETS[STREETS.index(spot.betting.street) + street],
        sizes=sizes or spot.betting.sizes,
        first="oop",
        removed=(),
        added=(),
    )
    after = Spot(STANDARD.cards(public), first, second, betting)
    assert len(after.betting.tree)
    return after


def _weights(spot: Spot, strategy: PublicStrategy, node: int, public: tuple[int, ...]) -> FloatArray:
    """Return with what weight each hand comes to a node: one look-up per hand."""
    board, place = strategy.hands(public)
    reach = strategy.reach(board, node)[np.maximum(place, 0)]
    return np.where(place >= 0, spot.ranges[strategy.player].weights * np.clip(reach, 0.0, 1.0), 0.0)
