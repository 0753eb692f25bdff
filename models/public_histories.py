r"""The public side of a game: histories of what everybody sees, and the private situations behind each.

Where all moves of the players are public (poker: everything but the hole cards), the information sets of a player fall
into *public history sets*: those that share one history of public events, the moves of the players and the public moves
of chance. Ganzfried and Sandholm (2011) and Ganzfried (2015), §12.1, count an opponent's moves there, since the private
information behind them is not seen; what the player holds distinguishes the *buckets* of a public history. Here
every information set is its own bucket.

Which moves of chance are public follows from the information sets: two outcomes can be confused if some player, now or
later, has an information set that both lead to, and confusion is passed on from player to player. What is left apart by
all such chains is common knowledge. With ``grouping="moves"`` only the players' moves make a history.

A *slot* is a move at a public history: the unit in which public play is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.arguments import require_player
from equiform.models.common.array_types import FloatArray, Int32Array, IntArray
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.event_histories import GROUPINGS, event_histories
from equiform.models.extensive import ExtensiveGame
from equiform.models.treeplex import Treeplex


@dataclass(frozen=True, eq=False)
class PublicHistories:
    """One player's public history sets, in order of the player's own number of moves, and their slots."""

    treeplex: Treeplex
    labels: tuple[str, ...]
    """The public events that lead to each history, joined by "–"."""
    actions: tuple[tuple[str, ...], ...] = field(repr=False)
    level: Int32Array = field(repr=False)
    """How many moves the player has made before each history."""
    start: Int32Array = field(repr=False)
    """History n owns the slots ``start[n]:start[n + 1]``."""
    history_of: Int32Array = field(repr=False)
    """The history of each of the player's information sets."""
    slot_of: Int32Array = field(repr=False)
    """The slot of each of the player's sequences; -1 for the empty one."""
    game: ExtensiveGame = field(repr=False)
    player: int
    grouping: str = "public"
    """Which events make a history (:data:`equiform.models.event_histories.GROUPINGS`)."""

    @property
    def num_histories(self) -> int:
        """Count the public histories at which the player moves."""
        return len(self.labels)

    @property
    def num_slots(self) -> int:
        """Count the moves at all public histories."""
        return int(self.start[-1])

    def slot(self, history: str, action: str) -> int:
        """Find a slot by the public moves before it and the move itself."""
        for n, (label, actions) in enumerate(zip(self.labels, self.actions, strict=True)):
            if label == history and action in actions:
                return int(self.start[n]) + actions.index(action)
        raise UnsupportedGameError(
            f"{self.treeplex.player} has no public move {action!r} after {history!r}",
            where=self.game.name,
            fix=f"histories are called {', '.join(map(repr, self.labels[:6]))} …",
        )

    def counts(self, leaves: IntArray) -> FloatArray:
        """Count the player's public moves over finished plays, given by their terminal nodes."""
        counts = np.zeros(self.num_slots)
        node = np.asarray(leaves, dtype=np.int64)
        while node.size:
            above = self.game.parent[node]
            own = self.game.turn[above] == self.player
            counts += np.bincount(self.slot_of[self.game.move[node[own]]], minlength=self.num_slots)
            node = above[above > 0].astype(np.int64)
        return counts

    def count_moves(self, hands: Iterable[Sequence[str]]) -> FloatArray:
        """Count the player's public moves in a log.

        Parameters
        ----------
        hands
            Every hand is a list of its public events in order: the moves of all players, and with
            ``grouping="public"`` the public moves of chance, such as the board.

        >>> from equiform.models import compile_rules
        >>> from equiform.games.poker.kuhn import Kuhn
        >>> view = public_histories(compile_rules(Kuhn()), 1)
        >>> view.count_moves([["bet", "call"], ["check", "bet", "fold"]])[view.slot("bet", "call")]
        np.float64(1.0)
        """
        histories = event_histories(self.game, self.grouping)
        after = {(histories.parents[k], histories.events[k]): k for k in range(1, len(histories.events))}
        own = {label: n for n, label in enumerate(self.labels)}
        counts = np.zeros(self.num_slots)
        for number, hand in enumerate(hands):
            reached = 0
            for k, move in enumerate(hand):
                label = histories.words(reached)
                if (reached, move) not in after:
                    raise ParameterError(
                        f"{move!r} cannot follow {label!r}",
                        where=f"{self.game.name}, hand {number}, move {k}",
                        fix=f"list the public events in order, as the game calls them: {GROUPINGS[self.grouping]}",
                    )
                if label in own:
                    counts[self.slot(label, move)] += 1
                reached = after[reached, move]
        return counts

    def bucket_weights(self, others_plan: FloatArray | None = None) -> FloatArray:
        """Return the probability that chance puts the player into each information set.

        Ganzfried's :math:`h_b`. Given a plan of the opponent, it also counts the opponent's probability of letting play
        come there, which the posterior of a bucket should include and Algorithm 20 leaves out.
        """
        game = self.game
        nodes = np.flatnonzero(game.turn == self.player)
        index, values = game.chance_reach
        weight = np.array([float(v) for v in values])[index[nodes]]
        if others_plan is not None:
            weight = weight * others_plan[game.sequences[1 - self.player, nodes]]
        number = np.full(game.num_infosets, -1)
        number[game.infosets_of[self.player]] = np.arange(self.treeplex.num_infosets)
        sums = np.bincount(number[game.infoset[nodes]], weights=weight, minlength=self.treeplex.num_infosets)
        return sums.astype(np.float64)


def public_histories(game: ExtensiveGame, player: int, grouping: str = "public") -> PublicHistories:
    """Group a player's information sets by the public events before them; refuse a game whose moves are hidden.

    Parameters
    ----------
    game
        A game in which every player sees all moves of the others.
    player
        Whose information sets to group, counted from 0.
    grouping
        ``"public"`` tells histories apart by moves and public cards, ``"moves"`` by moves alone.

    >>> from equiform.models import compile_rules
    >>> from equiform.games.poker.kuhn import Kuhn
    >>> view = public_histories(compile_rules(Kuhn()), 1)
    >>> view.labels, view.actions
    (('check', 'bet'), (('check', 'bet'), ('fold', 'call')))
    """
    treeplex = game.treeplexes[require_player(player, len(game.players), game.name)]
    histories = event_histories(game, grouping)
    history = histories.of_node
    nodes = np.flatnonzero(game.turn == player)
    own = game.infosets_of[player]
    of_infoset = np.full(game.num_infosets, -1, dtype=np.int64)
    of_infoset[game.infoset[nodes][::-1]] = history[nodes][::-1]
    hidden = np.flatnonzero(of_infoset[game.infoset[nodes]] != history[nodes])
    if len(hidden):
        node = int(nodes[hidden[0]])
        raise UnsupportedGameError(
            f"a move is hidden from {game.players[player]}: nodes of one information set follow different moves",
            where=f"{game.describe(game.infoset_keys[game.infoset[node]])!r}, node {game.path(node)!r}",
            fix="use a game in which every player sees all moves but those of chance",
        )
    keys, first, inverse = np.unique(of_infoset[own], return_index=True, return_inverse=True)
    levels = treeplex.depth[treeplex.parent[first]]
    order = np.lexsort((first, levels))
    rank = np.argsort(order)
    history_of = rank[inverse].astype(np.int32)
    actions = tuple(tuple(treeplex.actions[h]) for h in first[order].tolist())
    for h, n in enumerate(history_of.tolist()):
        if tuple(treeplex.actions[h]) != actions[n]:
            raise UnsupportedGameError(
                f"{game.players[player]} has different moves after the same public history",
                where=f"{treeplex.infoset_label(h)!r}: {', '.join(treeplex.actions[h])}",
                fix="use a game in which the public history determines the moves",
            )
    start = np.append(0, np.cumsum([len(a) for a in actions])).astype(np.int32)
    place = np.arange(1, treeplex.num_sequences) - treeplex.start[treeplex.infoset_of[1:]]
    slots = np.append(-1, start[history_of[treeplex.infoset_of[1:]]] + place).astype(np.int32)
    labels = tuple(histories.words(int(k)) for k in keys[order])
    return PublicHistories(
        treeplex, labels, actions, levels[order].astype(np.int32), start, history_of, slots, game, player, grouping
    )
