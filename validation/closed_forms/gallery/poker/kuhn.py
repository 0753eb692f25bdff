"""Kuhn poker with antes of 1 and any bet b up to 2; the classical game, b = 1, lies where two cases meet.

With a bet below 1 player 1 bets every King and bluffs b/(2 + b) of the Jacks; above 1 player 1 always checks first. At
b = 1 both are the ends of Kuhn's family of equilibria.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import sympy

from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models.rules import CHANCE
from equiform.validation.closed_forms.families import Equilibrium, tree_game
from equiform.validation.closed_forms.proving.document import Statement

CARDS = "JQK"
_SOURCE = "after H. W. Kuhn, A simplified two-person poker, 1950 (b = 1)"


def rules(name: str) -> ExplicitTree:
    """Write the game down, with a bet of b."""
    deals = {}
    for one, two in permutations(CARDS, 2):
        sign = "" if CARDS.index(one) > CARDS.index(two) else "-"
        called = f"{sign}(1 + b)"
        answer = TreeNode(1, f"{two} facing a bet", children={"fold": _leaf(1), "call": _leaf(called)})
        call = TreeNode(0, f"{one} facing a bet", children={"fold": _leaf(-1), "call": _leaf(called)})
        after = TreeNode(1, f"{two} after a check", children={"check": _leaf(f"{sign}1"), "bet": call})
        deals[one + two] = TreeNode(0, f"{one} to open", children={"check": after, "bet": answer})
    odds = [sympy.Rational(1, 6)] * 6
    return ExplicitTree(name, ("player 1", "player 2"), TreeNode(CHANCE, probabilities=odds, children=deals))


def small_bet() -> Statement:
    """State the solution for bets up to 1."""
    return _statement("kuhn-small-bet", "0 < b <= 1", "b/(2 + b)", "1", "2/(2 + b)", "-b^2/(6*(2 + b))")


def large_bet() -> Statement:
    """State the solution for bets from 1 to 2."""
    return _statement("kuhn-large-bet", "1 <= b <= 2", "0", "0", "(2 - b)/(2 + b)", "-b*(2 - b)/(6*(2 + b))")


def _statement(name: str, bet: str, jacks: str, kings: str, call: str, value: str) -> Statement:
    family = tree_game(rules(name), {"b": bet})
    opens, calls = {"J": jacks, "Q": "0", "K": kings}, {"J": "0", "Q": call, "K": "1"}
    answers, calling = {"J": "b/(2 + b)", "Q": "0", "K": "1"}, {"J": "0", "Q": "(2 - b)/(2 + b)", "K": "1"}
    first = {f"{c} to open": _pair(opens[c]) for c in CARDS} | {f"{c} facing a bet": _pair(calls[c]) for c in CARDS}
    second = {f"{c} after a check": _pair(answers[c]) for c in CARDS}
    second |= {f"{c} facing a bet": _pair(calling[c]) for c in CARDS}
    claim = Equilibrium([first, second], values=[value])
    return Statement(name, _SOURCE, family, claim, f"Kuhn poker with a bet b, {bet}.")


def _leaf(amount: Any) -> TreeNode:
    return TreeNode(payoffs=(f"{amount}", f"-({amount})"))


def _pair(p: str) -> list[str]:
    return [f"1 - ({p})", p]
