"""Tables of integers of any size, with zeros among them."""

from __future__ import annotations

import random


def random_table(rng: random.Random, rows: int, cols: int, size: int) -> list[list[int]]:
    return [[rng.randint(-size, size) if rng.random() < 0.6 else 0 for _ in range(cols)] for _ in range(rows)]
