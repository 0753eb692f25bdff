"""Random numbers whose state is an array: a saved run continues with the very next number.

xoshiro256++ (Blackman and Vigna 2021), seeded by splitmix64 as its authors advise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit

_MASK = (1 << 64) - 1


def seeded(seed: int) -> NDArray[np.uint64]:
    """Return the generator's state for a seed (any non-negative integer below 2^64).

    >>> [hex(word) for word in seeded(0)[:2].tolist()]
    ['0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4']
    """
    if not 0 <= seed <= _MASK:
        raise ParameterError(f"{seed} is not a seed", where="seed", fix="use an integer from 0 to 2^64 - 1")
    words, x = [], seed
    for _ in range(4):
        x = (x + 0x9E3779B97F4A7C15) & _MASK
        z = x
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        words.append(z ^ (z >> 31))
    return np.array(words, dtype=np.uint64)


@jit
def next_word(state: NDArray[np.uint64]) -> np.uint64:
    """Return 64 random bits and move the state on."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    mixed = s0 + s3
    word = ((mixed << np.uint64(23)) | (mixed >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    state[0], state[1], state[2] = s0, s1, s2
    state[3] = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    return word


@jit
def uniform(state: NDArray[np.uint64]) -> float:
    """Return a random number in [0, 1) with 53 bits."""
    return float(next_word(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
