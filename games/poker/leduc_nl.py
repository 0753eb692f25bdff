r"""No-limit Leduc hold'em (Ganzfried 2015, §7.2.3): Leduc's cards, any whole bet.

Both start with ``stack`` chips and ante 1 of them. A player may bet or raise by any whole number of chips up to all
that is left, any number of times. As in no-limit hold'em a raise is at least as large as the bet or raise before it in
the same round, unless it puts the player all-in (``minimum_raise=False`` allows any raise). Once both are all-in the
public card comes without further betting.

With a stack of 12 each player has 121,225 sequences, without the minimum raise 589,837. Cards are dealt by rank, as in
:mod:`equiform.games.poker.leduc`.
"""

from __future__ import annotations

from equiform.games.poker.betting import Situation, betting_tree
from equiform.games.poker.leduc import CommunityCardPoker
from equiform.models.common.arguments import require_count
from equiform.models.common.errors import ParameterError


class LeducNoLimit(CommunityCardPoker):
    """Rules of no-limit Leduc hold'em.

    >>> from equiform.models.compile import compile_rules
    >>> compile_rules(LeducNoLimit(stack=2)).move_sets[1]
    ('check', 'bet 1')
    """

    def __init__(self, stack: int = 12, ranks: int = 3, suits: int = 2, *, minimum_raise: bool = True) -> None:
        require_count(stack, "stack", "leduc-nl", least=0, most=10_000)
        if stack < 1:
            raise ParameterError("the stack must cover the ante of 1", where=f"stack={stack}", fix="use 1 or more")

        self.stack = stack

        def whole_bets(now: Situation) -> list[tuple[str, int]]:
            smallest = min(now.highest + (max(now.increment, 1) if minimum_raise else 1), stack)
            verb = "raise to" if now.raises else "bet"
            return [(f"{verb} {to - now.opened}", to) for to in range(smallest, stack + 1) if to > now.highest]

        super().__init__("leduc-nl", ranks, suits, betting_tree(ante=1, rounds=2, sizes=whole_bets, stack=stack))
