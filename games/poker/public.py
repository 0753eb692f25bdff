"""Small poker games as public games: a betting tree times boards and private cards."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from equiform.games.poker.betting import BettingNode, betting_tree
from equiform.games.poker.leduc import limit_bets
from equiform.games.poker.ranks import rank_names
from equiform.models.common.array_types import IntArray
from equiform.models.public.betting import SHOWDOWN, BettingTree
from equiform.models.public.dealing import CardRules, deal_boards
from equiform.models.public.game import PublicGame
from equiform.models.rules import CHANCE, TERMINAL


def public_betting(root: BettingNode) -> BettingTree:
    """Return the public tree of a betting tree."""
    parent: list[int] = []
    turn: list[int] = []
    street: list[int] = []
    move: list[str] = []
    winner: list[int] = []
    stake: list[float] = []
    waiting: list[tuple[BettingNode, int, int, str]] = [(root, -1, 0, "")]
    while waiting:
        node, above, at, label = waiting.pop(0)
        number = len(parent)
        parent.append(above)
        turn.append(node.turn)
        street.append(at)
        move.append(label)
        tie, win, loss = (pay[0] for pay in node.pay)
        fold = node.turn == TERMINAL and tie == win == loss and tie != 0
        winner.append(int(win < 0) if fold else SHOWDOWN)
        stake.append(float(abs(win)) if node.turn == TERMINAL else 0.0)
        if node.turn == CHANCE:
            assert node.street is not None
            waiting.append((node.street, number, at + 1, ""))
        waiting += [(child, number, at, word) for word, child in node.after.items()]
    return BettingTree(
        np.array(parent), np.array(turn), np.array(street), tuple(move), np.array(winner), np.array(stake)
    )


def leduc_public(ranks: int = 3, suits: int = 2, *, isomorphism: bool = True) -> PublicGame:
    """Return limit Leduc hold'em as a public game: one private card, one public card.

    >>> leduc_public().boards.names
    ('', 'Js', 'Qs', 'Ks')
    """
    names = rank_names(ranks)

    def card_text(cards: Iterable[int]) -> str:
        return "".join(names[c // suits] + "shcdefgijk"[c % suits] for c in cards)

    def strength(hands: IntArray, board: IntArray) -> IntArray:
        own, shown = hands[:, 0] // suits, board[0] // suits
        return np.where(own == shown, ranks, own)

    rules = CardRules(ranks, suits, 1, (), (1,), strength, card_text)
    everything = np.ones(rules.deck)
    dealt = deal_boards(rules, (everything, everything), isomorphism=isomorphism)
    betting = public_betting(betting_tree(ante=1, rounds=2, sizes=limit_bets))
    return PublicGame(f"leduc-public:ranks={ranks},suits={suits}", betting, dealt.boards, dealt=dealt)
