"""The AKQ game: a half-street game with three cards (Chen and Ankenman 2006, chapter 12).

Three cards, a pot of P, one bet of 1. Player 1 may bet, player 2 calls or folds; payoffs are shares of the pot. Player
1 always bets an Ace, never a King, and bluffs a Queen; player 2 always calls with an Ace, never with a Queen, and
sometimes with a King. For a pot below 1 there is nothing worth bluffing for.
"""

from __future__ import annotations

from itertools import permutations

import sympy

from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models.rules import CHANCE
from equiform.validation.closed_forms.families import Equilibrium, tree_game
from equiform.validation.closed_forms.proving.document import Statement

CARDS = "QKA"


def rules() -> ExplicitTree:
    """Write the game down."""
    deals = {}
    for one, two in permutations(CARDS, 2):
        wins = CARDS.index(one) > CARDS.index(two)
        shown = TreeNode(payoffs=("P", 0) if wins else (0, "P"))
        called = TreeNode(payoffs=("P + 1", -1) if wins else (-1, "P + 1"))
        answer = TreeNode(1, f"{two} facing a bet", children={"fold": TreeNode(payoffs=("P", 0)), "call": called})
        deals[one + two] = TreeNode(0, f"{one} to open", children={"check": shown, "bet": answer})
    odds = [sympy.Rational(1, 6)] * 6
    return ExplicitTree("akq", ("player 1", "player 2"), TreeNode(CHANCE, probabilities=odds, children=deals))


def statement() -> Statement:
    """State the solution for all pots from 1."""
    family = tree_game(rules(), {"P": "P >= 1"})
    first = {
        "A to open": {"bet": 1},
        "K to open": {"check": 1},
        "Q to open": {"check": "P/(P + 1)", "bet": "1/(P + 1)"},
    }
    second = {
        "A facing a bet": {"call": 1},
        "K facing a bet": {"fold": "2/(P + 1)", "call": "(P - 1)/(P + 1)"},
        "Q facing a bet": {"fold": 1},
    }
    claim = Equilibrium([first, second], values=["P/2 + (P - 1)/(6*(P + 1))"])
    source = "B. Chen and J. Ankenman, The Mathematics of Poker, 2006, chapter 12"
    return Statement("akq", source, family, claim, "The AKQ game for any pot P from 1.")
