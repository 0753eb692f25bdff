r"""PublicGame: a public tree times private hands, the sequence form of real poker.

All moves and board cards are public and each player holds one of n private hands, so a game with 10⁹ nodes is a public
tree of 10⁵ nodes times vectors of n numbers. An information set is a decision of the betting tree, a board and a hand.
Sequences stand board by board, on a board hand by hand, and for a hand in the order of the street's columns:
sequence :math:`1 + o_b + h\,w_s + j` is move j of street s with hand h on board b.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from equiform.models.common.array_types import Int32Array
from equiform.models.common.errors import GameError
from equiform.models.common.html import html_facts
from equiform.models.public.betting import BettingTree
from equiform.models.public.boards import Boards
from equiform.models.public.layout import Layout, Seat, lay_out
from equiform.models.public.payoff import PublicPayoff
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex

if TYPE_CHECKING:
    from equiform.models.public.dealing import Dealt

#: What identifies an information set: board, decision node, hand (its place on the board).
Key = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class PublicGame:
    """A two-player zero-sum game in which everything but the private hands is public.

    Attributes
    ----------
    name
        What to call it.
    betting
        The moves.
    boards
        The boards and hands.
    players
        The players' names.
    dealt
        For a game of cards, how concrete cards are found on the boards.
    """

    name: str
    betting: BettingTree
    boards: Boards
    players: tuple[str, str] = ("player 1", "player 2")
    dealt: Dealt | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        streets = int(self.boards.street.max()) + 1
        if streets != self.betting.num_streets:
            raise GameError(
                f"the betting has {self.betting.num_streets} streets and the boards have {streets}",
                where=self.name,
                fix="deal a board for every street of the betting",
            )

    def _repr_html_(self) -> str:
        facts = {
            "streets": str(self.betting.num_streets),
            "boards": f"{len(self.boards.street):,}",
            "information sets": ", ".join(f"{n:,}" for n in self.num_infosets),
            "sequences": ", ".join(f"{n:,}" for n in self.num_sequences),
        }
        return html_facts(f"Public game {self.name}", facts)

    @cached_property
    def _laid_out(self) -> tuple[Layout, tuple[Seat, Seat]]:
        return lay_out(self.betting, self.boards)

    @property
    def layout(self) -> Layout:
        """The flat arrays that both players share."""
        return self._laid_out[0]

    @property
    def seats(self) -> tuple[Seat, Seat]:
        """Each player's flat arrays."""
        return self._laid_out[1]

    @property
    def num_sequences(self) -> tuple[int, int]:
        """Count both players' sequences, the empty ones included."""
        first, second = self.seats
        return int(first.offset[-1]) + 1, int(second.offset[-1]) + 1

    @property
    def num_infosets(self) -> tuple[int, int]:
        """Count both players' information sets."""
        counts = [[len(d) for d in seat.decisions] for seat in self.betting.seats]
        first, second = (
            int((np.diff(hands.start) * np.array(count)[self.boards.street]).sum())
            for hands, count in zip(self.boards.hands, counts, strict=True)
        )
        return first, second

    @cached_property
    def treeplexes(self) -> tuple[Treeplex, Treeplex]:
        """One treeplex per player."""
        return self._treeplex(0), self._treeplex(1)

    @cached_property
    def payoff(self) -> PublicPayoff:
        """The payoff operator."""
        return PublicPayoff(self.layout, self.seats)

    def sequence_form(self) -> SequenceForm:
        """Return the game as two treeplexes and an operator: CFR, fictitious play, EGT and best responses take it."""
        return SequenceForm(self.name, self.treeplexes, self.payoff)

    def sequence(self, player: int, board: int, hand: int, node: int) -> int:
        """Return the player's sequence of the move that leads to a node, with a hand on a board."""
        seat, moves = self.seats[player], self.betting.seats[player]
        width = int(moves.width[self.boards.street[board]])
        return 1 + int(seat.offset[board]) + hand * width + int(moves.column[node])

    def describe(self, key: Key, player: int) -> str:
        """Put an information set into words."""
        board, node, hand = key
        names = self._hand_names[player].setdefault(board, self.boards.hands[player].hand_names(board))
        shown = f", board {self.boards.names[board]}" if self.boards.names[board] else ""
        history = self.betting.history(node)
        return f"holding {names[hand]}{shown}, {f'after {history}' if history.strip('/') else 'to open'}"

    @cached_property
    def _hand_names(self) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
        return {}, {}

    def _treeplex(self, player: int) -> Treeplex:
        seat, parents, starts = self.seats[player], [], []
        for board in range(len(self.boards)):
            parent, start = self._block_infosets(seat, board)
            parents.append(parent)
            starts.append(start)
        sequences = np.append(np.concatenate(starts), self.num_sequences[player]).astype(np.int32)

        def describe(key: Key) -> str:
            return self.describe(key, player)

        return Treeplex(
            self.players[player],
            np.concatenate(parents).astype(np.int32),
            sequences,
            _Keys(self, player),
            _Actions(self, player),
            describe,
        )

    def _block_infosets(self, seat: Seat, board: int) -> tuple[Int32Array, Int32Array]:
        """Return the parents and first sequences of a player's information sets on a board, hand by hand."""
        layout = self.layout
        street, n = int(layout.street[board]), int(seat.start[board + 1] - seat.start[board])
        low, high = int(seat.decision_start[street]), int(seat.decision_start[street + 1])
        hands = np.arange(n)[:, None]
        base = 1 + int(seat.offset[board])
        start = base + hands * seat.width[street] + seat.first[low:high]
        parent = np.zeros((n, high - low), dtype=np.int64)
        for d in range(low, high):
            above, at, place = int(seat.above_street[d]), board, np.arange(n)
            if above < 0:
                continue
            while layout.street[at] > above:
                place = seat.up[seat.start[at] + place]
                at = int(layout.parent[at])
            parent[:, d - low] = 1 + seat.offset[at] + place * seat.width[above] + seat.above_column[d]
        return parent.ravel().astype(np.int32), start.ravel().astype(np.int32)


class _Infosets(Sequence[Any]):
    """What there is to say about each information set of a player, computed when asked: there may be millions."""

    def __init__(self, game: PublicGame, player: int) -> None:
        self.game, self.player = game, player
        decisions = game.betting.seats[player].decisions
        self.decisions = decisions
        sizes = np.diff(game.boards.hands[player].start) * np.array([len(d) for d in decisions])[game.boards.street]
        self.first = np.append(0, np.cumsum(sizes))

    def __len__(self) -> int:
        return int(self.first[-1])

    def key(self, number: int) -> Key:
        """Return board, node and hand."""
        board = int(np.searchsorted(self.first, number, side="right")) - 1
        nodes = self.decisions[int(self.game.boards.street[board])]
        hand, decision = divmod(number - int(self.first[board]), len(nodes))
        return board, int(nodes[decision]), hand

    @overload
    def __getitem__(self, number: int) -> Any: ...
    @overload
    def __getitem__(self, number: slice) -> list[Any]: ...
    def __getitem__(self, number: int | slice) -> Any:
        if isinstance(number, slice):
            return [self[k] for k in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        return self.value(self.key(int(number) % len(self)))

    def __iter__(self) -> Iterator[Any]:
        return (self.value(self.key(k)) for k in range(len(self)))

    def value(self, key: Key) -> Any:
        """Return what this sequence holds for an information set."""
        raise NotImplementedError


class _Keys(_Infosets):
    def value(self, key: Key) -> Key:
        return key


class _Actions(_Infosets):
    def value(self, key: Key) -> tuple[str, ...]:
        return self.game.betting.actions(key[1])
