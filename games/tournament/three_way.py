r"""How likely three players reach each outcome of a jam-or-fold hand: two large products per order of strength.

Let :math:`D_o[a, b, c]` be the probability of a deal in which the hands come in order o, and let :math:`A_s, B_s, C_s`
be the seats' jamming probabilities in state s. Everything follows from two products,

.. math:: Y_{so}[b, c] = \sum_a A_s[a]\, D_o[a, b, c], \qquad X_{so}[a, c] = \sum_b B_s[b]\, D_o[a, b, c],

which are matrix products of (states × hands) with (hands × pairs of hands), and a third one for the lines in which the
button folds. All of it is linear in each seat's strategy. Hence the same code runs in other coordinates: with
:math:`D_o` projected onto a few directions of the space of hands, and strategies and the vector of ones likewise
(:mod:`equiform.games.tournament.sketch`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.games.cards.all_in.tables import order_after
from equiform.games.tournament.histories import result_groups

_CHUNK = 192  # states per matrix product: enough to keep the table of an order busy
Reals = NDArray[Any]


class ThreeWay:
    """The deals of three players in the layouts that the products need.

    Parameters
    ----------
    orders
        ``[13, n, n, n]``, alike in all seats.
    ones
        The strategy that always jams, in the coordinates of ``orders``.
    """

    def __init__(self, orders: Reals, ones: Reals) -> None:
        n, dtype = orders.shape[-1], orders.dtype
        self.n, self.ones = n, ones.astype(dtype)
        self.by_button = orders.reshape(13, n, n * n)  # [order, button, (small blind, big blind)]
        self.any_button = np.stack([np.tensordot(ones, order.astype(np.float64), 1) for order in orders])
        self.any_small = np.stack([np.tensordot(order.astype(np.float64), ones, (1, 0)) for order in orders])
        self.any_button_or_small = (ones @ self.any_button).astype(dtype)  # [order, big blind]
        self.any_button_or_big = (self.any_button @ ones).astype(dtype)
        self.any_small_or_big = (self.any_small @ ones).astype(dtype)
        self.masses = (self.any_small @ ones).sum(axis=0).astype(dtype)
        self.any_button, self.any_small = self.any_button.astype(dtype), self.any_small.astype(dtype)
        # Hands are alike in all seats: the small blind's range is contracted with the seats of the first two swapped.
        self.swap = order_after((1, 0, 2))
        self.result = [_result_of(pair) for pair in ((0, 1), (0, 2), (1, 2))]
        self.blinds = np.zeros((3, n, n * n), dtype=dtype)  # [result, small blind, (button, big blind)]
        for o in range(13):
            self.blinds[self.result[2][o]] += self.by_button[self.swap[o]]

    def reach(self, profile: list[Reals]) -> list[Reals]:
        """Return ``[state, outcome, hand]`` per seat for strategies ``[state, decision, hand]``."""
        states, dtype = len(profile[0]), self.by_button.dtype
        reach = [np.zeros((states, 25, self.n), dtype=dtype) for _ in range(3)]
        for begin in range(0, states, _CHUNK):
            part = slice(begin, begin + _CHUNK)
            button, small, big = (p[part].astype(dtype) for p in profile)
            views = [r[part] for r in reach]
            self._after_the_button(button, small, big, views[1], views[2])
            self._button(small, big, views[0])
        return reach

    def _with_ones(self, vectors: list[Reals], axis: int) -> Reals:
        return np.stack([*vectors, np.broadcast_to(self.ones, vectors[0].shape)], axis=axis)

    def _after_the_button(self, button: Reals, small: Reals, big: Reals, to_small: Reals, to_big: Reals) -> None:
        """Fill the blinds' reach, order by order, from the button's jamming range."""
        size, n, jam = len(button), self.n, button[:, 0]
        by_small = self._with_ones([small[:, 0], small[:, 1]], 1)
        by_big = self._with_ones([big[:, 2], big[:, 0], big[:, 1]], 2)
        for o in range(13):
            jammed = (jam @ self.by_button[o]).reshape(size, n, n)
            called, opened, every = (x[:, 0] for x in np.split(by_small @ jammed, 3, axis=1))
            folded_opened = small[:, 1] @ self.any_button[o] - opened
            folded_every = self.any_button_or_small[o] - every
            r01, r02, r12 = (9 + self.result[0][o], 6 + self.result[1][o], 3 + self.result[2][o])
            to_big[:, 12 + o] += called
            to_big[:, r01] += called
            to_big[:, r02] += every - called
            to_big[:, 2] += every - called
            to_big[:, r12] += folded_opened
            to_big[:, 1] += folded_opened
            to_big[:, 0] += folded_every - folded_opened
            three, two, behind, every = (x[..., 0] for x in np.split(jammed @ by_big, 4, axis=2))
            folded_called = big[:, 1] @ self.any_button[o].T - behind
            folded_every = self.any_button_or_big[o] - every
            to_small[:, 12 + o] += three
            to_small[:, r01] += every - three
            to_small[:, r02] += two
            to_small[:, 2] += every - two
            to_small[:, r12] += folded_called
            to_small[:, 1] += folded_every - folded_called
            to_small[:, 0] += folded_every

    def _button(self, small: Reals, big: Reals, to_button: Reals) -> None:
        """Fill the button's reach from the small blind's ranges."""
        size, n = len(small), self.n
        by_big = self._with_ones([big[:, 2], big[:, 0]], 2)
        for o in range(13):
            jammed = (small[:, 0] @ self.by_button[self.swap[o]]).reshape(size, n, n)  # [state, button, big blind]
            three, two, every = (x[..., 0] for x in np.split(jammed @ by_big, 3, axis=2))
            folded_called = big[:, 0] @ self.any_small[o].T - two
            folded_every = self.any_small_or_big[o] - every
            to_button[:, 12 + o] += three
            to_button[:, 9 + self.result[0][o]] += every - three
            to_button[:, 6 + self.result[1][o]] += folded_called
            to_button[:, 2] += folded_every - folded_called
        open_call = self._with_ones([big[:, 1]], 2)
        to_button[:, 0] += self.masses
        for result in range(3):
            opened = (small[:, 1] @ self.blinds[result]).reshape(size, n, n)
            called, every = (x[..., 0] for x in np.split(opened @ open_call, 2, axis=2))
            to_button[:, 3 + result] += called
            to_button[:, 1] += every - called
            to_button[:, 0] -= every


def _result_of(pair: tuple[int, int]) -> list[int]:
    groups = result_groups(pair)
    return [next(r for r, members in enumerate(groups) if o in members) for o in range(13)]
