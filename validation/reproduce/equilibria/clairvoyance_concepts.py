r"""What each solution concept says about calling in the clairvoyance game (Ganzfried 2015, chapter 16, question 2).

With stack n player 2 may call a bet x < n with any probability between :math:`1/(1+x)` and
:math:`\min(1, n/(x(1+n)))` in equilibrium. The thesis prefers :math:`1/(1+x)` and reports that the proper equilibrium
of the game with bets 0, 1 and 2 calls a bet of 1 with probability 5/9. Player 1's two mistakes at x cost
:math:`\tfrac12(n/(1+n) - cx)` with a winning hand and :math:`\tfrac12(c(1+x) - 1)` with a losing one; a proper strategy
maximises the smaller of them, so that

.. math:: c = \frac{2n + 1}{(n + 1)(2x + 1)} .
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from equiform.games.poker.clairvoyance import Clairvoyance
from equiform.models.common.rational import exact_text
from equiform.models.compile import compile_rules
from equiform.models.sequence_form import sequence_form
from equiform.validation.exact.proper import exact_proper
from equiform.validation.exact.quasi_perfect import quasi_perfect_limit
from equiform.validation.exact.refinements import exact_undominated

#: The thesis's one number: the proper probability of calling 1 with stack 2.
PRINTED = Fraction(5, 9)


@dataclass(frozen=True)
class CallingRow:
    """How often player 2 calls a bet, by concept."""

    stack: int
    bet: int
    nash: tuple[Fraction, Fraction]
    """All equilibria: an interval."""
    undominated: Fraction
    quasi_perfect: Fraction
    proper: tuple[Fraction, Fraction]
    """All proper equilibria: an interval, here a point."""
    thesis: Fraction
    """The thesis's preferred 1/(1 + x)."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "stack": self.stack,
            "bet": self.bet,
            "nash": [exact_text(p) for p in self.nash],
            "undominated": exact_text(self.undominated),
            "quasi_perfect": exact_text(self.quasi_perfect),
            "proper": [exact_text(p) for p in self.proper],
            "thesis": exact_text(self.thesis),
        }


def concept_table(stacks: tuple[int, ...] = (2, 3, 4)) -> list[CallingRow]:
    """Compute every concept exactly, for bets of 1 to n."""
    rows = []
    for n in stacks:
        form = sequence_form(compile_rules(Clairvoyance(n, 1)))
        caller = form.treeplexes[1]
        une, qpe, proper = exact_undominated(form), quasi_perfect_limit(form), exact_proper(form)
        for h in range(caller.num_infosets):
            x, call = h + 1, int(caller.start[h]) + 1
            rows.append(
                CallingRow(
                    stack=n,
                    bet=x,
                    nash=(Fraction(1, 1 + x), min(Fraction(1), Fraction(n, x * (1 + n)))),
                    undominated=une.strategies[1].probabilities[call],
                    quasi_perfect=qpe.strategies[1].probabilities[call],
                    proper=proper.plans[1].interval({call: 1}),
                    thesis=Fraction(1, 1 + x),
                )
            )
    return rows


def closed_form(stack: int, bet: int) -> Fraction:
    """Return the proper probability of calling.

    >>> print(closed_form(2, 1))
    5/9
    """
    return Fraction(2 * stack + 1, (stack + 1) * (2 * bet + 1))
