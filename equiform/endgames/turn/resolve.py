r"""Turn and river re-solved for the situation at hand (phase 2 of Gilpin and Sandholm 2007, §3.2).

When the turn card appears, both players' hand probabilities follow from the blueprint and the line by Bayes' rule. The
hands of this one board are put into new, finer buckets (10 on the turn and 100 on the river in the paper), the game of
two rounds between them is solved, and its strategies are played to the end of the hand. On the river the hands need no
buckets at all: :func:`resolve_river` solves all of them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from equiform.abstraction.holdem.blueprint import HoldemBlueprint
from equiform.abstraction.holdem.boards import hands_on
from equiform.abstraction.holdem.counting import add_pairs, space
from equiform.endgames.turn.bayes import hand_weights
from equiform.endgames.turn.board_buckets import BoardBuckets, board_buckets
from equiform.games.cards.card import STANDARD
from equiform.games.cards.evaluator import N_CARDS, N_HANDS, strengths
from equiform.games.poker.holdem.tree import HoldemBetting, below, line_of, node_at
from equiform.models.bucketed.deals import BucketDeals
from equiform.models.bucketed.game import BucketedGame
from equiform.models.bucketed.leaves import showdown_leaves
from equiform.models.bucketed.strategy import BucketStrategy
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import StrategyError
from equiform.models.public.betting import BettingTree
from equiform.models.public.dealing import CardRules, deal_boards
from equiform.models.public.game import PublicGame
from equiform.models.public.strategy import PublicStrategy
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.public.public_cfr import PublicCFR
from equiform.solvers_iterative.regret.cfr import CFR


@dataclass(frozen=True, eq=False)
class TurnEndgame:
    """A re-solved turn: read it by the whole game's lines.

    Attributes
    ----------
    board
        Four cards.
    line
        The betting before the turn.
    game
        The bucketed endgame; payoffs are those of the whole hand.
    strategies
        Both players' strategies there.
    nash_conv
        What both could gain in the endgame between buckets, as the solver measured it.
    seconds
        CPU seconds of buckets and card matrices, and of solving.
    """

    board: tuple[int, ...]
    line: str
    game: BucketedGame
    buckets: BoardBuckets = field(repr=False)
    strategies: tuple[BucketStrategy, BucketStrategy] = field(repr=False)
    tree: BettingTree = field(repr=False)
    nodes: IntArray = field(repr=False)
    nash_conv: float
    seconds: tuple[float, float]

    def on_board(self, board: Sequence[int], line: str) -> FloatArray:
        """Return the probabilities of the moves after a line of the whole game for all 1,326 hands: 0 if blocked."""
        node = node_at(self.tree, line)
        place = np.flatnonzero(self.nodes == node)
        street = int(self.tree.street[node]) - 2
        if not len(place) or tuple(board[:4]) != self.board or len(board) != 4 + street:
            raise StrategyError(
                f"{line!r} on {STANDARD.text(list(board))} is not in this endgame",
                where=f"{STANDARD.text(list(self.board))} after {self.line}",
                fix="re-solve for that line and board",
            )
        here = int(place[0])
        rows = self.strategies[int(self.tree.turn[node])].at(here)
        bucket = self.buckets.turn if street == 0 else self.buckets.river[board[4]]
        out = np.zeros((N_HANDS, rows.shape[1]))
        out[bucket >= 0] = rows[bucket[bucket >= 0]]
        return out


def resolve_turn(
    blueprint: HoldemBlueprint,
    board: Sequence[int],
    line: str,
    *,
    buckets: tuple[int, int] = (10, 100),
    until: Until = Until(iterations=300),  # noqa: B008
) -> TurnEndgame:
    """Re-solve turn and river after a line that ends with the turn card, such as ``rc/crc/``.

    Parameters
    ----------
    blueprint
        What both players are believed to have played so far.
    board
        Flop and turn, as numbers in the order dealt.
    line
        The betting so far.
    buckets
        How many buckets of turn and river hands.
    until
        When to stop; the gap is in chips, given that the line is played.
    """
    _start(_whole(blueprint.betting), line, 2)
    weights = hand_weights(blueprint, board, _before(blueprint, line))
    return solve_turn(blueprint.betting, board, line, weights, buckets=buckets, until=until)


def solve_turn(
    betting: HoldemBetting,
    board: Sequence[int],
    line: str,
    weights: tuple[FloatArray, FloatArray],
    *,
    buckets: tuple[int, int] = (10, 100),
    until: Until = Until(iterations=300),  # noqa: B008
) -> TurnEndgame:
    """Solve turn and river after a line, given the weights of both players' 1,326 hands."""
    started = time.process_time()
    full = _whole(betting)
    tree, nodes = below(full, _start(full, line, 2))
    found = board_buckets(tuple(int(c) for c in board), buckets, weights[0] + weights[1])
    deals, margin = _deals(found, weights)
    name = f"turn {STANDARD.text(list(board))} after {line}"
    game = BucketedGame(name, tree, deals, showdown_leaves(tree, margin), rounds=("turn", "river"))
    prepared = time.process_time()
    solver = CFR(game.sequence_form(), "dcfr")
    result = solver.run(until)
    first, second = (BucketStrategy.from_behavior(game, p, s.floats) for p, s in enumerate(result.strategies))
    spent = (prepared - started, time.process_time() - prepared)
    return TurnEndgame(found.board, line, game, found, (first, second), full, nodes, result.checkpoint.nash_conv, spent)


def _start(tree: BettingTree, line: str, street: int) -> int:
    """Return the first decision of a street, or refuse another line."""
    node = node_at(tree, line)
    if int(tree.street[node]) != street or not line.endswith("/") or tree.turn[node] not in (0, 1):
        raise StrategyError(
            f"{line!r} does not end where the {('flop', 'turn', 'river')[street - 1]} card has come",
            where="re-solving",
            fix="end the line with a slash, such as rc/cc/",
        )
    return node


def _before(blueprint: HoldemBlueprint, line: str) -> int:
    """Return the node of the blueprint where the flop's betting ends; it may be the end of what it plays."""
    return node_at(blueprint.tree, line if blueprint.betting.rounds > 2 else line.removesuffix("/"))


def _whole(betting: HoldemBetting) -> BettingTree:
    """Return the betting of all four rounds."""
    values = {**vars(betting), "rounds": 4}
    return HoldemBetting(**values).tree()


def _deals(found: BoardBuckets, weights: tuple[FloatArray, FloatArray]) -> tuple[BucketDeals, FloatArray]:
    """Count pairs of weighted hands by river bucket, exactly, over all river cards."""
    n = len(found.up)
    joint, margin, room = np.zeros((n, n)), np.zeros((n, n)), space(n)
    for card in range(N_CARDS):
        if card in found.board:
            continue
        on = hands_on((*found.board, card), ranked=True)
        buckets = found.river[card][on.which].astype(np.int64)
        x, y = (w[on.which] for w in weights)
        add_pairs(on.hands, buckets, on.ranks, x, y, (1.0, 1.0), room, joint, margin)
    joint = np.maximum(joint, 0.0)  # pairs that share cards are taken back: rounding
    return BucketDeals(joint, ((found.up,), (found.up,))), margin


@dataclass(frozen=True, eq=False)
class RiverEndgame:
    """A re-solved river, all hands: strategies on the public game of one board."""

    game: PublicGame
    strategies: tuple[PublicStrategy, PublicStrategy] = field(repr=False)
    nash_conv: float
    seconds: float

    def probabilities(self, line: str) -> FloatArray:
        """Return the probabilities of the moves after a line of river betting, for all 1,326 hands; 0 where blocked."""
        node = node_at(self.game.betting, line)
        who = int(self.game.betting.turn[node])
        strategy = self.strategies[who]
        board, holding = strategy.hands(self.game.dealt.rules.board if self.game.dealt else ())
        rows = strategy.behavior(board, node)
        out = np.zeros((N_HANDS, rows.shape[1]))
        out[holding >= 0] = rows[holding[holding >= 0]]
        return out


def resolve_river(
    betting: HoldemBetting,
    board: Sequence[int],
    line: str,
    weights: tuple[FloatArray, FloatArray],
    *,
    until: Until = Until(iterations=300),  # noqa: B008
) -> RiverEndgame:
    """Re-solve a river without buckets, given the weights of both players' hands after a line such as ``cc/cc/rc/``."""
    started = time.process_time()
    full = _whole(betting)
    tree, _ = below(full, _start(full, line, 3))
    rules = CardRules(13, 4, 2, tuple(int(c) for c in board), (), _strength, STANDARD.text)
    dealt = deal_boards(rules, weights)
    game = PublicGame(f"river {STANDARD.text(list(board))} after {line}", tree, dealt.boards, dealt=dealt)
    solver = PublicCFR(game, "dcfr")
    result = solver.run(until)
    return RiverEndgame(game, solver.strategies, result.checkpoint.nash_conv, time.process_time() - started)


def turn_weights(
    blueprint: HoldemBlueprint, endgame: TurnEndgame, board: Sequence[int], line: str
) -> tuple[FloatArray, FloatArray]:
    """Return both players' weights of all hands after a line that goes on from a re-solved turn to the river."""
    first, second = hand_weights(blueprint, board, _before(blueprint, endgame.line))
    weights, node = [first, second], node_at(endgame.tree, line)
    while endgame.tree.street[node] > 2 or node not in endgame.nodes[:1]:
        above = int(endgame.tree.parent[node])
        who = int(endgame.tree.turn[above])
        if who in (0, 1):
            rows = endgame.on_board(board[: 4 + int(endgame.tree.street[above]) - 2], line_of(endgame.tree, above))
            weights[who] = weights[who] * rows[:, endgame.tree.children[above].index(node)]
        node = above
    if not (weights[0].any() and weights[1].any()):
        raise StrategyError(f"the endgame rules {line!r} out", where="Bayes' rule", fix="choose a line that is played")
    return weights[0] / weights[0].max(), weights[1] / weights[1].max()


def _strength(hands: IntArray, board: IntArray) -> IntArray:
    """Rank hold'em hands on a full board."""
    return strengths(np.hstack([hands, np.tile(board, (len(hands), 1))])).astype(np.int64)
