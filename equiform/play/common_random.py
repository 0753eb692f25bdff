"""Common random numbers: every draw is a hash of where it is used, so that no two runs ever differ by their order.

A draw is addressed by seed, opponent, hand, mover and the number of the mover's move in the hand. Agents that meet the
same opponent are then dealt the same cards (also later ones, after different betting), a hand can be played again from
its number alone, and a resumed or parallel run gives the same figures as an uninterrupted one. The hash is the
finaliser of splitmix64 (Steele, Lea and Flood 2014).
"""

from __future__ import annotations

import numpy as np

from equiform.models.common.arguments import require_seed
from equiform.models.common.jit import jit

CHANCE_STREAM, OWN_STREAM, OPPONENT_STREAM = 0, 1, 2


@jit
def mix(x: np.uint64, y: np.uint64) -> np.uint64:
    """Hash two words into one."""
    z = np.uint64(x) * np.uint64(0xD1342543DE82EF95) + np.uint64(y) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@jit
def draw(key: np.uint64, stream: int, number: int) -> float:
    """Return the uniform number in [0, 1) of a stream's given move under a hand's key."""
    word = mix(mix(key, np.uint64(stream)), np.uint64(number))
    return float(word >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@jit
def hand_key(match: np.uint64, hand: int) -> np.uint64:
    """Return the key of one hand of a match."""
    return mix(match, np.uint64(hand))


def match_key(seed: int, opponent: int) -> np.uint64:
    """Return the key of the match against one opponent.

    >>> bool(match_key(1, 0) != match_key(1, 1))
    True
    """
    require_seed(seed, "match")
    return np.uint64(mix(np.uint64(seed), np.uint64(opponent)))
