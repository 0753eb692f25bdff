"""Betting abstractions: the lines that an agent's strategy knows, and where a real line stands among them.

The tree is made of real lines of the dealer's own rules, so that an abstract node *is* a betting state. In the limit
game it holds every line. In the no-limit game a :class:`BetMenu` says which raises it holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from equiform.abstraction.actions.translation import RAND_PSHAR, TranslationMapping, read_bets
from equiform.models.common.arguments import require_count, require_number, require_sequence
from equiform.models.common.errors import ParameterError
from equiform.play.dealer.betting import CALL, FOLD, RAISE, Action, BettingState
from equiform.play.dealer.rules import HoldemRules, rules_named
from equiform.solvers_iterative.regret.bucket_mccfr import SHOWDOWN, MoveTree

#: Larger trees are refused: a slip in the sizes makes millions of lines.
MAX_NODES = 400_000


@dataclass(frozen=True)
class BetMenu:
    """The raises of a no-limit abstraction: shares of the pot (after calling), and all-in."""

    sizes: tuple[float, ...] = (1.0,)
    raises: int = 2
    """How many raises a street has besides all-in."""
    all_in: bool = True
    capped: bool = False
    """Whether all-in is one of these raises: a street then ends with them."""

    def __post_init__(self) -> None:
        for size in require_sequence(self.sizes, "sizes", "bet menu"):
            require_number(size, "size", "bet menu", least=0)
            if size == 0:
                raise ParameterError("a raise of 0 pots", where="bet menu", fix="use positive shares of the pot")
        require_count(self.raises, "raises", "bet menu", least=0)
        object.__setattr__(self, "sizes", tuple(sorted(float(s) for s in self.sizes)))

    def moves(self, state: BettingState) -> tuple[Action, ...]:
        """Return the abstraction's moves in a state, raises in ascending order."""
        moves = (FOLD, CALL) if state.to_call else (CALL,)
        allowed = state.raise_range()
        if allowed is None:
            return moves
        if state.rules.limit:
            return (*moves, RAISE)
        least, most = allowed
        if self.capped and state.raises >= self.raises:
            return moves
        found = {most} if self.all_in else set()
        if state.raises < self.raises:
            pot = state.pot + state.to_call
            found |= {min(max(round(max(state.spent) + size * pot), least), most) for size in self.sizes}
        return (*moves, *(Action("r", to) for to in sorted(found)))


@dataclass(frozen=True, eq=False)
class AbstractBetting:
    """The lines of an abstraction."""

    rules: HoldemRules
    menu: BetMenu
    states: tuple[BettingState, ...] = field(repr=False)
    """The state at every node, breadth first."""
    tree: MoveTree = field(repr=False)

    @staticmethod
    def build(rules: HoldemRules, menu: BetMenu | None = None) -> AbstractBetting:
        """List all lines.

        >>> from equiform.play.dealer.rules import LIMIT
        >>> found = AbstractBetting.build(LIMIT)
        >>> int((found.tree.turn >= 0).sum())
        6378
        """
        menu = menu or BetMenu()
        states, first, kids = [BettingState.start(rules)], [], []
        for state in states:  # grows as it is read
            moves = () if state.over else menu.moves(state)
            first.append(len(states) if moves else 0)
            kids.append(len(moves))
            states += [state.after(m) for m in moves]
            if len(states) > MAX_NODES:
                raise ParameterError(
                    f"the betting abstraction has more than {MAX_NODES:,} lines",
                    where="bet menu",
                    fix="use fewer sizes",
                )
        winners = [1 - s.folded if s.folded >= 0 else SHOWDOWN for s in states]
        turns, streets = [s.turn for s in states], [s.street for s in states]
        turn, street, begin, count, winner = (
            np.array(column, dtype=np.int32) for column in (turns, streets, first, kids, winners)
        )
        stake = np.array([min(s.spent) if s.over else 0 for s in states], dtype=np.float64)
        tree = MoveTree(turn, street, begin, count, winner, stake)
        return AbstractBetting(rules, menu, tuple(states), tree)

    @cached_property
    def nodes(self) -> dict[str, int]:
        """The node of every line."""
        return {state.line: node for node, state in enumerate(self.states)}

    def children(self, node: int) -> range:
        """Return the nodes below, in the order of the moves."""
        first = int(self.tree.first[node])
        return range(first, first + int(self.tree.kids[node]))

    def actions(self, node: int) -> tuple[Action, ...]:
        """Return the abstraction's own moves at a node."""
        return tuple(self.states[child].moves[-1] for child in self.children(node))

    def read(
        self, betting: BettingState, draw: Callable[[int], float], mapping: TranslationMapping = RAND_PSHAR
    ) -> int | None:
        """Return the abstract node that a real state is read as, or ``None`` if the abstraction is ahead of the hand.

        Parameters
        ----------
        betting
            Where the hand stands.
        draw
            The random number for reading a given move of the hand, so that a bet is read alike whenever it is looked
            at again.
        mapping
            How a bet between two sizes is read; a bet that the abstraction has no room for is read as a call.
        """
        if (exact := self.nodes.get(betting.line)) is not None:
            return exact
        real, node = BettingState.start(self.rules), 0
        for number, action in enumerate(betting.moves):
            ahead = self.states[node]
            if not ahead.over and ahead.street == real.street and ahead.turn == real.turn:
                node = self.step(node, real, action, draw(number), mapping)
            real = real.after(action)
        found = self.states[node]
        return node if found.street == real.street and found.turn == real.turn else None

    def step(self, node: int, real: BettingState, action: Action, chance: float, mapping: TranslationMapping) -> int:
        """Return the node that a real move leads to from an abstract one; see :meth:`read`."""
        below, actions = self.children(node), self.actions(node)
        kinds = [a.kind for a in actions]
        if action.kind != "r":
            # a fold where the abstraction has nothing to fold to cannot be followed by another decision
            return below[kinds.index(action.kind)] if action.kind in kinds else below[kinds.index("c")]
        raises = [k for k, kind in enumerate(kinds) if kind == "r"]
        if not raises:
            return below[kinds.index("c")]
        if self.rules.limit:
            return below[raises[0]]
        return below[self._nearest(node, real, action, raises, chance, mapping)]

    def _nearest(
        self,
        node: int,
        real: BettingState,
        action: Action,
        raises: list[int],
        chance: float,
        mapping: TranslationMapping,
    ) -> int:
        """Return which of the node's moves a raise is read as; sizes are compared in pots after calling."""
        sizes = [in_pots(real, played(self, node, k, real)) for k in raises]
        call = self.actions(node).index(CALL)
        if action.to == played(self, node, raises[-1], real):  # all-in is all-in, whatever pots it comes to
            return raises[-1]
        grid, moves = [0.0], [call]
        for size, move in zip(sizes, raises, strict=True):
            if size > grid[-1] + 1e-9:  # a short stack may make two sizes one
                grid.append(size)
                moves.append(move)
        reading = read_bets(mapping, grid, [in_pots(real, action.to)])
        down = chance < float(reading.probability[0])
        return moves[int((reading.lower if down else reading.upper)[0])]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that :meth:`from_dict` reads."""
        menu = {**vars(self.menu), "sizes": list(self.menu.sizes)}
        return {"game": self.rules.name, "menu": menu}

    @staticmethod
    def from_dict(document: dict[str, Any]) -> AbstractBetting:
        """Read what :meth:`to_dict` wrote."""
        menu = document["menu"]
        made = BetMenu(tuple(menu["sizes"]), menu["raises"], bool(menu["all_in"]), bool(menu.get("capped", False)))
        return AbstractBetting.build(rules_named(document["game"]), made)


def in_pots(state: BettingState, to: int) -> float:
    """Return a raise in pots: what it adds to a call, by the pot after the call."""
    return (to - max(state.spent)) / (state.pot + state.to_call)


def played(betting: AbstractBetting, node: int, move: int, real: BettingState) -> int:
    """Return the real chips that an abstract raise stands for: the same share of the pot, or all-in."""
    below = betting.states[betting.children(node)[move]]
    abstract = betting.states[node]
    least, most = real.raise_range() or (0, 0)
    to = max(below.spent)
    if to >= real.rules.stack:
        return most
    share = in_pots(abstract, to)
    return min(max(round(max(real.spent) + share * (real.pot + real.to_call)), least), most)


def real_action(betting: AbstractBetting, node: int, move: int, real: BettingState) -> Action:
    """Return the real move that an abstract one stands for; what is not legal becomes a call."""
    action = betting.actions(node)[move]
    if action.kind == "r" and not real.rules.limit:
        action = Action("r", played(betting, node, move, real))
    return action if real.is_legal(action) else CALL
