r"""Best responses in the whole game by policy iteration (thesis Algorithm 8), for all players and seats at once.

With the others' strategies fixed, a player faces a Markov decision process whose nodes are pairs of a state and a seat.
Players who change seats meet every seat's decisions, and all of them face the same process, only from another node: one
policy iteration answers for everybody. A policy is changed in a state only where that gains something, so that a policy
that ends the game is never left for one that merely promises as much (condition 3 of §9.4.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import LimitError
from equiform.models.stochastic import Prospects, StochasticGame, node_chain

#: Improvements below this share of the largest payoff are rounding.
ROUNDING = 1e-9
MOST_ROUNDS = 200


@dataclass(frozen=True, eq=False)
class BestResponses:
    """What a profile is worth, and what each player could get by deviating alone."""

    values: FloatArray = field(repr=False)  # [state, seat]
    best_values: FloatArray = field(repr=False)
    policies: tuple[FloatArray, ...] = field(repr=False)
    rounds: int

    @property
    def gains(self) -> FloatArray:
        """What a deviation gains, by state and seat."""
        return np.maximum(self.best_values - self.values, 0.0)

    @property
    def epsilon(self) -> float:
        """The largest gain of any player from any state."""
        return float(self.gains.max())


def profile_values(game: StochasticGame, prospects: Sequence[Prospects], profile: Sequence[FloatArray]) -> FloatArray:
    """Return the long-run values of a profile, ``[state, seat]``: step 2 of Algorithm 8."""
    probabilities = prospects[0].probabilities(profile[0])
    return node_chain(game.outcomes, [probabilities] * game.num_seats, game.discount).values()


def best_responses(
    game: StochasticGame, profile: Sequence[FloatArray], prospects: Sequence[Prospects] | None = None
) -> BestResponses:
    """Solve every player's decision process against a profile, starting from the profile's own policy."""
    given = game.stages.prospects(tuple(profile)) if prospects is None else prospects
    values = profile_values(game, given, profile)
    policies = [strategy.copy() for strategy in profile]
    best = values
    for rounds in range(1, MOST_ROUNDS + 1):
        payoffs = game.payoffs(best)
        changed = False
        for seat, own in enumerate(given):
            changed |= _improve(game, own, seat, payoffs[:, seat], policies)
        if not changed:
            return BestResponses(values, best, tuple(policies), rounds)
        chances = [own.probabilities(policy) for own, policy in zip(given, policies, strict=True)]
        best = node_chain(game.outcomes, chances, game.discount).values()
    raise LimitError(
        f"policy iteration has not converged after {MOST_ROUNDS} rounds",
        where=game.name,
        fix="check the rewards: payoffs of very different size look like endless improvement",
    )


def _improve(
    game: StochasticGame, prospects: Prospects, seat: int, payoffs: FloatArray, policies: list[FloatArray]
) -> bool:
    """Switch to a best response in the states where it gains; return whether there is any."""
    first, incumbent = game.outcomes.first[:-1], policies[seat]
    answer = prospects.respond(payoffs)
    before = np.add.reduceat(prospects.probabilities(incumbent) * payoffs, first)
    after = np.add.reduceat(prospects.probabilities(answer) * payoffs, first)
    better = after > before + ROUNDING * max(1.0, float(np.abs(payoffs).max()))
    if not better.any():
        return False
    where = np.append(better, False)[game.stages.state_of(seat)]  # the entry -1 belongs to no state
    policies[seat] = np.where(where, answer, incumbent)
    return True
