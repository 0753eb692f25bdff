"""A finite signal game as an extensive game, in two ways.

:class:`SignalRules` deals the signals and then lets every player pick a plan unseen; :class:`BettingRules` deals them
and plays the betting tree move by move, which needs fewer sequences. This is the way to all other programs: the
sequence-form LP of a two-player constant-sum game is an independent check of the parametric ones.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from equiform.models.common.errors import UnsupportedGameError
from equiform.models.common.rational import as_fraction
from equiform.models.rules import CHANCE, TERMINAL
from equiform.models.signals.signal_game import Betting, Decision, History, Showdown, SignalGame

# State: the cells dealt and the plans chosen so far; or the cells and the moves made so far.
_State = tuple[tuple[int, ...], tuple[int, ...]]
_BettingState = tuple[tuple[int, ...], History]


class _Deal:
    """Chance deals the signals. A constant-sum game is made zero-sum by taking an equal share from each player."""

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

    def initial(self) -> None:
        """Return the undealt state."""
        return None

    def _settle(self, cells: tuple[int, ...], end: Showdown) -> tuple[Fraction, ...]:
        """Let the best signals among the contenders share the prize."""
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


class SignalRules(_Deal):
    """Rules of a finite signal game: every player picks a plan, knowing only their own signal."""

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
        """Return the payoffs."""
        cells, plans = state
        return self._settle(cells, self.game.showdowns[self.game.outcome[plans]])

    def infoset(self, state: _State) -> int:
        """Return the mover's own signal: all that a player knows."""
        return state[0][len(state[1])]

    def describe(self, key: int) -> str:
        """Put an information set into words."""
        return f"signal {key + 1}"


class BettingRules(_Deal):
    """Rules of a finite signal game with a betting tree, played move by move."""

    def __init__(self, game: SignalGame) -> None:
        if game.tree is None:
            raise UnsupportedGameError(f"{game.name} has no betting tree", fix="build it with SignalGame.from_betting")
        super().__init__(game)
        self._node: dict[History, Betting] = {(): game.tree}
        stack: list[History] = [()]
        while stack:
            history = stack.pop()
            node = self._node[history]
            if isinstance(node, Decision):
                for move, below in node.moves.items():
                    self._node[(*history, move)] = below
                    stack.append((*history, move))

    def turn(self, state: _BettingState | None) -> int:
        """Return whose move it is."""
        if state is None:
            return CHANCE
        node = self._node[state[1]]
        return node.player if isinstance(node, Decision) else TERMINAL

    def actions(self, state: _BettingState | None) -> tuple[str, ...]:
        """Return the deals or the moves."""
        if state is None:
            return self._labels
        node = self._node[state[1]]
        return tuple(node.moves) if isinstance(node, Decision) else ()

    def probabilities(self, state: _BettingState | None) -> tuple[Fraction, ...]:
        """Return the probability of each deal."""
        return self._odds

    def next(self, state: _BettingState | None, action: str) -> _BettingState:
        """Return the state after a deal or a move."""
        return (self._deal_of[action], ()) if state is None else (state[0], (*state[1], action))

    def payoffs(self, state: _BettingState) -> tuple[Fraction, ...]:
        """Return the payoffs."""
        end = self._node[state[1]]
        return self._settle(state[0], end) if isinstance(end, Showdown) else ()

    def infoset(self, state: _BettingState) -> tuple[int, History]:
        """Return the mover's signal and the moves so far."""
        return state[0][self.turn(state)], state[1]

    def describe(self, key: tuple[int, History]) -> str:
        """Put an information set into words."""
        return f"signal {key[0] + 1}, {'after ' + ' '.join(key[1]) if key[1] else 'to open'}"
