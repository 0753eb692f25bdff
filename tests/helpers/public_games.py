"""Public games that several tests use: random small decks, ranges and bets."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from equiform.games.poker.betting import Situation, betting_tree
from equiform.games.poker.public import public_betting
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.public.dealing import CardRules, deal_boards
from equiform.models.public.game import PublicGame
from equiform.models.sequence_form import SequenceForm


def made_hands(ranks: int, suits: int) -> tuple[object, object]:
    """Strengths of all cards together: groups of a rank first, then flushes, then high cards."""

    def strength(hands: IntArray, board: IntArray) -> IntArray:
        cards = np.hstack([hands, np.tile(board, (len(hands), 1))])
        by_rank = np.stack([(cards // suits == r).sum(axis=1) for r in range(ranks)], axis=1)
        by_suit = np.stack([(cards % suits == s).sum(axis=1) for s in range(suits)], axis=1).max(axis=1)
        groups = np.sort(by_rank, axis=1)[:, ::-1][:, :2] @ np.array([10, 1])
        score: IntArray = 1000 * (groups + 25 * (by_suit == cards.shape[1])) + by_rank @ (3 ** np.arange(ranks))
        return score

    def show(cards: Iterable[int]) -> str:
        return "".join("23456789TJQKA"[c // suits] + "cdhs"[c % suits] for c in cards)

    return strength, show


def one_bet(now: Situation) -> list[tuple[str, int]]:
    return [] if now.raises else [("bet", now.highest + 2)]


def two_bets(now: Situation) -> list[tuple[str, int]]:
    if now.raises == 2:
        return []
    return [(f"to {now.highest + size}", now.highest + size) for size in (2, 5)[: 2 - now.raises]]


def random_game(
    seed: int, *, private: int = 2, deals: tuple[int, ...] = (1,), board: int = 1, isomorphism: bool = True
) -> PublicGame:
    """A small deck, random ranges (symmetric in the suits for even seeds); fewer bets where there are more streets."""
    rng = np.random.default_rng(seed)
    ranks, suits = (3, 3) if deals else (4, 3)
    strength, show = made_hands(ranks, suits)
    dealt_board = tuple(sorted(rng.choice(ranks * suits, board, replace=False).tolist()))
    rules = CardRules(ranks, suits, private, dealt_board, deals, strength, show)  # type: ignore[arg-type]
    ranges = [random_range(rules, rng, symmetric=seed % 2 == 0) for _ in range(2)]
    dealt = deal_boards(rules, (ranges[0], ranges[1]), isomorphism=isomorphism)
    betting = public_betting(betting_tree(ante=1, rounds=len(deals) + 1, sizes=one_bet if deals else two_bets))
    return PublicGame(f"random-public-{seed}", betting, dealt.boards, dealt=dealt)


def random_range(rules: CardRules, rng: np.random.Generator, *, symmetric: bool) -> FloatArray:
    """Weights in eighths, so that sums are exact; by ranks and suitedness if symmetric. About half are zero."""
    holdings = rules.holdings
    weights = rng.integers(0, 9, len(holdings)) * (rng.random(len(holdings)) < 0.6) / 8.0
    if symmetric:
        ranks, suited = holdings // rules.suits, np.ptp(holdings % rules.suits, axis=1) == 0
        table = rng.integers(0, 9, (2, rules.ranks, rules.ranks)) * (rng.random((2, rules.ranks, rules.ranks)) < 0.7)
        weights = table[suited.astype(int), ranks[:, 0], ranks[:, -1]] / 8.0
    blocked = np.isin(holdings, rules.board).any(axis=1)
    if (weights[~blocked] > 0).sum() < 6:
        weights = weights + 0.125
    return weights


def random_plans(form: SequenceForm, seed: int) -> list[FloatArray]:
    rng = np.random.default_rng(seed)
    return [t.realization(t.behavior(np.append(1.0, rng.random(t.num_sequences - 1)))) for t in form.treeplexes]


def on_tree(form: SequenceForm, tree: SequenceForm, plans: list[FloatArray]) -> list[FloatArray]:
    """The same strategies in the order of the expanded tree."""
    found = []
    for ours, theirs, plan in zip(form.treeplexes, tree.treeplexes, plans, strict=True):
        behavior, place = ours.behavior(plan), {key: h for h, key in enumerate(ours.infosets)}
        there = np.ones(theirs.num_sequences)
        for h, key in enumerate(theirs.infosets):
            own = place[key]
            assert tuple(ours.actions[own]) == tuple(theirs.actions[h])
            there[theirs.start[h] : theirs.start[h + 1]] = behavior[ours.start[own] : ours.start[own + 1]]
        found.append(theirs.realization(there))
    return found
