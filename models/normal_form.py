r"""Normal-form games, and the reduced normal form of an extensive game.

A matrix game is the special case of the sequence form in which each player has one information set; the reduced normal
form goes the other way, exponentially: one strategy per pure realization plan. It serves as an independent check on
small games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import GameError, ParameterError, PayoffError
from equiform.models.common.html import EXPLORE, html_facts
from equiform.models.common.rational import Number, as_fraction, common_denominator, payoffs_in_floats
from equiform.models.extensive import require_two_player_constant_sum
from equiform.models.payoffs.matrix import MatrixPayoff
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class NormalForm:
    """A finite game in strategic form with exact payoffs.

    Parameters
    ----------
    name
        The game's name.
    players
        The players' names.
    actions
        The labels of each player's actions.
    payoffs
        ``payoffs[player][a0, a1, …]``: Fractions; a table of ints or floats becomes one of Fractions.

    Raises
    ------
    GameError
        If the table does not have one payoff per player and pure profile.
    """

    name: str
    players: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    payoffs: NDArray[Any] = field(repr=False)

    def _repr_html_(self) -> str:
        moves = {player: f"{len(own):,} actions" for player, own in zip(self.players, self.actions, strict=True)}
        facts = {**moves, "payoffs": "zero-sum" if self.is_zero_sum else "general-sum"}
        return html_facts(f"Table {self.name}", facts, EXPLORE)

    @staticmethod
    def from_matrix(
        name: str,
        rows: Sequence[str],
        cols: Sequence[str],
        matrix: Sequence[Sequence[Number]] | NDArray[Any],
        column_matrix: Sequence[Sequence[Number]] | NDArray[Any] | None = None,
    ) -> NormalForm:
        """Build a two-player game from the row player's payoffs: zero-sum, unless the column player's are given as
        well.

        Parameters
        ----------
        name
            The game's name.
        rows, cols
            The labels of the players' actions.
        matrix
            The row player's payoffs, one row per row action: ints, floats, Fractions or ``"p/q"``.
        column_matrix
            The column player's payoffs in the same layout; the negative of ``matrix`` by default.

        Raises
        ------
        GameError
            If a matrix does not have one entry per pair of actions.
        PayoffError
            If an entry is not a finite number.

        Examples
        --------
        >>> NormalForm.from_matrix("pennies", "HT", "HT", [[1, -1], [-1, 1]]).is_zero_sum
        True
        >>> NormalForm.from_matrix("dilemma", "CD", "CD", [[3, 0], [5, 1]], [[3, 5], [0, 1]]).is_zero_sum
        False
        """
        first = _exact_matrix(name, rows, cols, matrix)
        second = -first if column_matrix is None else _exact_matrix(name, rows, cols, column_matrix)
        return NormalForm(name, ("row", "column"), (tuple(rows), tuple(cols)), np.stack([first, second]))

    def __post_init__(self) -> None:
        if self.payoffs.dtype != object:
            exact = _exact(self.name, self.payoffs.ravel().tolist())
            object.__setattr__(self, "payoffs", exact.reshape(self.payoffs.shape))
        sizes = (len(self.players), *(len(a) for a in self.actions))
        if self.payoffs.shape != sizes or 0 in sizes:
            raise GameError(
                f"payoffs of shape {self.payoffs.shape} do not fit {sizes}",
                where=self.name,
                fix="use one payoff per player and pure profile, and at least one action per player",
            )

    @cached_property
    def is_zero_sum(self) -> bool:
        """Whether payoffs sum to zero in every cell."""
        return bool((self.payoffs.sum(axis=0) == 0).all())

    @cached_property
    def is_constant_sum(self) -> bool:
        """Whether payoffs have the same sum in every cell."""
        sums = self.payoffs.sum(axis=0)
        return bool((sums == sums.flat[0]).all())

    def zero_sum(self) -> NormalForm:
        """Return the same two-player game with the constant taken from player 2, as for a game tree."""
        require_two_player_constant_sum(len(self.players), self.is_constant_sum, self.name)
        if self.is_zero_sum:
            return self
        return NormalForm(self.name, self.players, self.actions, np.stack([self.payoffs[0], -self.payoffs[0]]))

    @cached_property
    def payoff_floats(self) -> FloatArray:
        """The payoffs in floats."""
        return payoffs_in_floats(self.payoffs, self._place)

    def _place(self, player: int, *at: int) -> str:
        moves = ", ".join(actions[k] for actions, k in zip(self.actions, at, strict=True))
        return f"{self.name}, {self.players[player]} at ({moves})"

    @cached_property
    def treeplexes(self) -> tuple[Treeplex, ...]:
        """One treeplex per player, with a single information set."""
        return tuple(
            Treeplex(
                player=player,
                parent=np.zeros(1, dtype=np.int32),
                start=np.array([1, 1 + len(actions)], dtype=np.int32),
                infosets=("the only choice",),
                actions=(actions,),
            )
            for player, actions in zip(self.players, self.actions, strict=True)
        )

    def sequence_form(self) -> SequenceForm:
        """Return the sequence form of a two-player zero-sum game."""
        require_two_player_constant_sum(len(self.players), self.is_constant_sum, self.name)
        cells = [as_fraction(v) for v in self.payoffs[0].ravel()]
        denominator = common_denominator(cells)
        integers = [c.numerator * (denominator // c.denominator) for c in cells]
        small = all(abs(k) < 2**62 for k in integers)
        m, n = len(self.actions[0]), len(self.actions[1])
        rows, cols = np.divmod(np.arange(m * n), n)
        first, second = self.treeplexes
        payoff = MatrixPayoff.from_terms(
            (m + 1, n + 1),
            rows + 1,
            cols + 1,
            np.array(integers, dtype=np.int64 if small else object),
            denominator,
            (first.sequence_label, second.sequence_label),
        )
        return SequenceForm(self.name, (first, second), payoff)

    def action_values(self, player: int, profile: Sequence[FloatArray]) -> FloatArray:
        """Return the expected payoff of each of a player's actions against the others' mixed strategies."""
        values = self.payoff_floats[require_player(player, len(self.players), self.name)]
        for other in range(
            len(self.players) - 1, -1, -1
        ):  # contract the last axes first: earlier axes keep their place
            if other != player:
                values = np.tensordot(values, profile[other], axes=(other, 0)) if other > player else values
        for other in range(player):
            values = np.tensordot(profile[other], values, axes=(0, 0))
        return values

    def expected_payoffs(self, profile: Sequence[FloatArray]) -> FloatArray:
        """Return every player's expected payoff under mixed strategies (one vector per player)."""
        return np.array([self.action_values(p, profile) @ profile[p] for p in range(len(self.players))])

    def regrets(self, profile: Sequence[FloatArray]) -> FloatArray:
        """Return what each player would gain by a best response."""
        values = [self.action_values(p, profile) for p in range(len(self.players))]
        return np.array([v.max() - v @ profile[p] for p, v in enumerate(values)])


def _exact_matrix(name: str, rows: Sequence[str], cols: Sequence[str], matrix: Any) -> NDArray[Any]:
    lines = [list(row) for row in matrix]
    if len(lines) != len(rows) or any(len(row) != len(cols) for row in lines):
        raise GameError(
            "the payoff matrix does not have one entry per pair of actions",
            where=f"{name}: {len(rows)} × {len(cols)} actions",
            fix="pass one row per row action and one column per column action",
        )
    return _exact(name, [v for row in lines for v in row]).reshape(len(rows), len(cols))


def _exact(name: str, values: list[Any]) -> NDArray[Any]:
    exact = np.empty(len(values), dtype=object)
    try:
        exact[:] = [as_fraction(v) for v in values]
    except ParameterError as error:
        raise PayoffError(f"a payoff is wrong: {error.what}", where=name, fix=error.fix) from None
    return exact


def reduced_plans(treeplex: Treeplex, *, limit: int = 20_000) -> FloatArray:
    """List all pure realization plans: the player's reduced pure strategies.

    Parameters
    ----------
    treeplex
        The player's decisions.
    limit
        How many plans there may be.

    Returns
    -------
    FloatArray
        One plan per row.

    Raises
    ------
    ParameterError
        If there are more plans than ``limit``.
    """
    plans = np.zeros((1, treeplex.num_sequences))
    plans[0, 0] = 1.0
    for h in range(treeplex.num_infosets):
        reached = plans[:, treeplex.parent[h]] > 0
        own = range(int(treeplex.start[h]), int(treeplex.start[h + 1]))
        split = []
        for s in own:
            copy = plans[reached].copy()
            copy[:, s] = 1.0
            split.append(copy)
        plans = np.concatenate([plans[~reached], *split])
        if len(plans) > limit:
            raise ParameterError(
                f"{treeplex.player} has more than {limit:,} reduced pure strategies",
                fix="use the sequence form, which is linear in the tree, or raise the limit",
            )
    return plans


def reduced_normal_form(game: SequenceForm, *, limit: int = 20_000) -> NormalForm:
    """Write out the reduced normal form of a small game, exactly."""
    plans = [reduced_plans(t, limit=limit) for t in game.treeplexes]
    payoff = game.matrix_payoff
    counts = np.zeros((len(plans[0]), len(plans[1])), dtype=object)
    for r, c, k in zip(payoff.rows, payoff.cols, payoff.numerators.tolist(), strict=True):
        counts += np.outer(plans[0][:, r], plans[1][:, c]).astype(np.int64).astype(object) * k
    first = np.array([[Fraction(int(v), payoff.denominator) for v in row] for row in counts], dtype=object)
    names = tuple(tuple(f"plan {k}" for k in range(len(p))) for p in plans)
    players = (game.treeplexes[0].player, game.treeplexes[1].player)
    return NormalForm(game.name, players, names, np.stack([first, -first]))
