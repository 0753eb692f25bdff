r"""Action abstraction: the same game with fewer bets (Ganzfried 2015, §7.1 and §7.8).

:class:`AbstractRules` wraps a rules object and offers only the moves that a filter keeps. Cards, payoffs and
information-set keys are those of the full game, so that an abstract information set *is* one of the full game's.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from equiform.abstraction.actions.public_tree import BettingView, Kind, Move, PublicNode, betting_view
from equiform.models.common.arguments import require_all, require_callable, require_kind, require_number
from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import Number
from equiform.models.rules import Rules, require_rules

#: Says which bets of a node stay; folds, checks and calls always do.
BetFilter = Callable[[PublicNode], Sequence[Move]]


class AbstractRules:
    """Rules of a game whose bets are restricted by a filter.

    >>> from equiform.games.poker.kuhn_nl import KuhnNoLimit
    >>> [m.label for m in AbstractRules(KuhnNoLimit(stack=10), pot_fractions(1)).root.moves]
    ['check', 'bet 1', 'bet 10']
    """

    def __init__(self, rules: Rules, keep: BetFilter, *, view: BettingView | None = None) -> None:
        require_rules(rules)
        require_callable(keep, "keep", "action abstraction")
        self.full_view = betting_view(rules) if view is None else require_kind(view, BettingView, "view", "betting")
        self.full = rules
        self.name = f"{rules.name}, abstracted"
        self.players = rules.players
        self.root = _pruned(self.full_view.root, keep)
        self.view = BettingView(self.root, self.full_view.public, self.full_view.rekey)
        self._moves = {node.history: tuple(m.label for m in node.moves) for node in self.view.nodes() if node.turn >= 0}

    def initial(self) -> Any:
        """Return the root state."""
        return self.full.initial()

    def turn(self, state: Any) -> int:
        """Return whose move it is."""
        return self.full.turn(state)

    def actions(self, state: Any) -> Sequence[str]:
        """Return the moves that are left."""
        if self.full.turn(state) < 0:
            return self.full.actions(state)
        return self._moves[self.view.public(self.full.infoset(state))]

    def probabilities(self, state: Any) -> Sequence[Number]:
        """Return chance's distribution."""
        return self.full.probabilities(state)

    def next(self, state: Any, action: str) -> Any:
        """Return the state after a move."""
        return self.full.next(state, action)

    def payoffs(self, state: Any) -> Sequence[Number]:
        """Return the payoffs at the end."""
        return self.full.payoffs(state)

    def infoset(self, state: Any) -> Hashable:
        """Return what the mover knows."""
        return self.full.infoset(state)

    def describe(self, key: Any) -> str:
        """Put an information set into words."""
        return self.full.describe(key)


def pot_fractions(*sizes: Number) -> BetFilter:
    """Keep the bets of these sizes and the all-in: ``pot_fractions(1)`` is the thesis's fcpa.

    Parameters
    ----------
    *sizes
        Bets in pots. Where no bet has exactly the wanted size, the nearest one stands in for it.

    Returns
    -------
    BetFilter
        Chooses the bets that an abstraction keeps.

    Raises
    ------
    ParameterError
        If a size is not a positive number.
    """
    wanted = [require_number(s, "a bet", "pot fractions") for s in sizes]
    if any(s <= 0 for s in wanted):
        raise ParameterError(
            "a bet must be larger than 0", where=f"sizes {wanted}", fix="pass sizes in pots, e.g. 0.5, 1"
        )

    def keep(node: PublicNode) -> Sequence[Move]:
        bets = [node.moves[k] for k in node.bets]
        chosen = [m for m in bets if m.all_in]
        for size in wanted:
            nearest = min(bets, key=lambda m: abs(m.size - size), default=None)
            if nearest is not None and nearest not in chosen:
                chosen.append(nearest)
        return chosen

    return keep


def _pruned(node: PublicNode, keep: BetFilter) -> PublicNode:
    kept = require_all(keep(node), Move, "what a filter keeps", f"betting {node.history!r}") if node.turn >= 0 else ()
    unknown = next((m for m in kept if m not in node.moves), None)
    if unknown is not None:
        raise ParameterError(
            f"a filter keeps {unknown.label!r}, which is not a move here",
            where=f"betting {node.history!r}",
            fix=f"choose among {', '.join(m.label for m in node.moves)}",
        )
    stays = [k for k, m in enumerate(node.moves) if m.kind is not Kind.BET or m in kept]
    if node.turn < 0:
        return PublicNode(node.history, node.turn, (), tuple(_pruned(c, keep) for c in node.after))
    return PublicNode(
        node.history,
        node.turn,
        tuple(node.moves[k] for k in stays),
        tuple(_pruned(node.after[k], keep) for k in stays),
        node.faces_all_in,
    )
