"""A finite signal game as an extensive game: chance deals the signals, then every player picks a plan unseen.

This is the way to all other programs: the sequence-form LP of a two-player constant-sum game is an independent check of
the parametric ones.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from equiform.models.errors import UnsupportedGameError
from equiform.models.extensive import CHANCE, TERMINAL
from equiform.models.rational import as_fraction
from equiform.models.signal_game import SignalGame

# State: the cells dealt and the plans chosen so far.
_State = tuple[tuple[int, ...], tuple[int, ...]]


class SignalRules:
    """Rules of a finite signal game. A constant-sum game is made zero-sum by taking an equal share from each player."""

    def __init__(self, game: SignalGame) -> None:
        if not game.signals.is_finite:
            raise UnsupportedGameError(
                f"{game.name} has continuous signals and no finite tree",
                fix="deal finite signals, for example with `signals.rounded(n)`",
            )
        self.name = game.name
        self.players = game.players
        self.game = game
        self.share = (game.constant_sum or Fraction(0)) / len(game.players)
        deals = {cells: odds for cells, odds in self._deals() if odds > 0}
        total = sum(deals.values())
        self._deal_of = {"·".join(str(c + 1) for c in cells): cells for cells in deals}
        self._labels = tuple(self._deal_of)
        self._odds = tuple(odds / total for odds in deals.values())

    def _deals(self) -> list[tuple[tuple[int, ...], Fraction]]:
        signals = self.game.signals
        cells = range(signals.num_cells)
        if signals.joint is not None:
            return [((a, b), as_fraction(signals.joint[a, b])) for a in cells for b in cells]
        masses = [[as_fraction(m) for m in row] for row in signals.masses]
        deals = []
        for combo in itertools.product(cells, repeat=len(self.players)):
            odds = Fraction(1)
            for player, cell in enumerate(combo):
                odds *= masses[player][cell]
            deals.append((combo, odds))
        return deals

    def initial(self) -> _State | None:
        """Return the undealt state."""
        return None

    def turn(self, state: _State | None) -> int:
        """Return whose move it is: chance, then the players in order."""
        if state is None:
            return CHANCE
        return len(state[1]) if len(state[1]) < len(self.players) else TERMINAL

    def actions(self, state: _State | None) -> tuple[str, ...]:
        """Return the deals or the plans."""
        return self._labels if state is None else self.game.plans[len(state[1])]

    def probabilities(self, state: _State | None) -> tuple[Fraction, ...]:
        """Return the probability of each deal."""
        return self._odds

    def next(self, state: _State | None, action: str) -> _State:
        """Return the state after a deal or a choice of plan."""
        if state is None:
            return self._deal_of[action], ()
        cells, plans = state
        return cells, (*plans, self.game.plans[len(plans)].index(action))

    def payoffs(self, state: _State) -> tuple[Fraction, ...]:
        """Return the payoffs: the best signals among the contenders share the prize."""
        cells, plans = state
        end = self.game.showdowns[self.game.outcome[plans]]
        held = {p: cells[p] for p in end.contenders}
        best = (min if self.game.lower_wins else max)(held.values(), default=-1)
        winners = [p for p, cell in held.items() if cell == best]
        pay = []
        for p in range(len(self.players)):
            amount = end.lose[p]
            if p in winners:
                tied = len(winners) > 1 and end.tie is not None
                amount = end.tie[p] if tied and end.tie else amount + (end.win[p] - amount) / len(winners)
            pay.append(amount - self.share)
        return tuple(pay)

    def infoset(self, state: _State) -> int:
        """Return the mover's own signal: all that a player knows."""
        return state[0][len(state[1])]

    def describe(self, key: int) -> str:
        """Put an information set into words."""
        return f"signal {key + 1}"
