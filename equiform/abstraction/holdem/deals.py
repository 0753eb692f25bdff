"""The deals of a bucketed game of hold'em: pairs of buckets counted over boards, and who wins."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from equiform.abstraction.holdem.boards import Sweep
from equiform.abstraction.holdem.hand_buckets import HandBuckets
from equiform.abstraction.holdem.histories import Histories
from equiform.models.bucketed.deals import BucketDeals
from equiform.models.bucketed.truncation import truncated_deals
from equiform.models.common.array_types import FloatArray


@dataclass(frozen=True, eq=False)
class HoldemDeals:
    """The deals of a bucketed game of hold'em, and what hands are worth at its last round if nobody bets any more.

    Attributes
    ----------
    deals
        Pairs of histories on the last round.
    margin
        Wins minus losses after all five cards, in deals, for every pair.
    margin_error
        The standard error of every entry of ``margin / deals.total``; nothing if it is exact.
    sweep
        Which boards were dealt.
    """

    deals: BucketDeals
    margin: FloatArray = field(repr=False)
    margin_error: FloatArray | None = field(repr=False)
    sweep: Sweep
    histories: Histories = field(repr=False)

    @property
    def rounds(self) -> int:
        """Count the rounds."""
        return self.deals.rounds

    def truncated(self, rounds: int) -> HoldemDeals:
        """Return the deals of the first rounds, as they were dealt for all rounds.

        Counts, margins and their standard errors are added up; the error of a sum is at most the sum of the errors.
        """
        if rounds == self.rounds:
            return self
        deals, last = truncated_deals(self.deals, rounds), (rounds - 1, rounds - 1)
        error = None if self.margin_error is None else self.deals.summed(self.margin_error, last)
        histories = Histories(HandBuckets(self.histories.buckets.stored, rounds), self.histories.codes[:rounds])
        return HoldemDeals(deals, self.deals.summed(self.margin, last), error, self.sweep, histories)


@dataclass(eq=False)
class PartialSums:
    """What a sweep over boards has counted so far, by independent halves; all but ``done`` are ``[half, pair]``."""

    done: int
    """Flops."""
    joint: FloatArray = field(repr=False)
    """Pairs on the last round."""
    drawn: FloatArray = field(repr=False)
    """Pairs on the drawn rivers, where these are not the last round."""
    margin: FloatArray = field(repr=False)
    """Wins minus losses on full boards."""

    @classmethod
    def start(cls, histories: int) -> PartialSums:
        """Return empty sums."""
        joint, drawn, margin = (np.zeros((2, histories, histories)) for _ in range(3))
        return cls(0, joint, drawn, margin)
