"""The games that come with equiform, with their parameters: one entry each."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from equiform.games import matrix
from equiform.games.entry import GameEntry
from equiform.games.goofspiel import ORDERS, RETURNS, Goofspiel
from equiform.games.liars_dice import LiarsDice
from equiform.games.poker.clairvoyance import Clairvoyance
from equiform.games.poker.kuhn import Kuhn
from equiform.games.poker.kuhn_multiplayer import KuhnMultiplayer
from equiform.games.poker.kuhn_nl import KuhnNoLimit
from equiform.games.poker.leduc import Leduc
from equiform.games.poker.leduc_nl import LeducNoLimit
from equiform.games.random_game import random_game
from equiform.games.sequential import figure_10_2, figure_13_9, sequential_rps
from equiform.models.common.parameters import Parameter
from equiform.models.sequence_form import SequenceForm

_STACK = Parameter("stack", Fraction(10), "chips of each player after the ante", Fraction(0), Fraction(10_000))
_STEP = Parameter("step", Fraction(1, 10), "bets are multiples of it", Fraction(1, 1000))
_RANKS = Parameter("ranks", 3, "ranks in the deck", 2, 40)
_SUITS = Parameter("suits", 2, "suits in the deck", 1, 10)


def _rhode_island(**parameters: Any) -> SequenceForm:
    from equiform.games.poker.rhode_island import RhodeIsland  # compiled loops, which no other game here needs
    from equiform.models.public.factors import factored_form

    return factored_form(RhodeIsland(**parameters).public())


BUILTIN: tuple[GameEntry, ...] = (
    GameEntry(
        "kuhn",
        "Kuhn poker: one card each from J Q K, one bet",
        lambda cards: Kuhn(cards),
        (Parameter("cards", 3, "cards in the deck", 2, 1400),),
        "kuhn:cards=50",
    ),
    GameEntry(
        "one-card",
        "one-card poker: Kuhn poker with the thirteen ranks of a suit",
        lambda cards: Kuhn(cards, "one-card"),
        (Parameter("cards", 13, "cards in the deck", 2, 1400),),
        "one-card:cards=500",
    ),
    GameEntry("leduc", "limit Leduc hold'em, dealt by rank", Leduc, (_RANKS, _SUITS), "leduc:ranks=13"),
    GameEntry(
        "leduc-nl",
        "no-limit Leduc hold'em: any whole bet up to the stack",
        LeducNoLimit,
        (Parameter("stack", 12, "chips of each player, ante included", 1, 16), _RANKS, _SUITS),
        "leduc-nl:stack=12",
    ),
    GameEntry(
        "rhode-island",
        "Rhode Island hold'em: one private and two public cards, limit bets",
        _rhode_island,
        (
            Parameter("ranks", 13, "ranks in the deck", 2, 13),
            Parameter("suits", 4, "suits in the deck", 1, 4),
            Parameter("ante", 5, "chips that each player pays before the deal", 1),
            Parameter("bets", "10/20/20", "size of a bet in each round"),
            Parameter("raises", 3, "bets and raises per round at most", 0, 6),
        ),
        "rhode-island:ranks=4",
    ),
    GameEntry(
        "clairvoyance",
        "player 1 knows who wins and bets any multiple of the step; player 2 calls or folds",
        Clairvoyance,
        (_STACK, _STEP),
        "clairvoyance:stack=10",
    ),
    GameEntry(
        "kuhn-nl",
        "no-limit Kuhn poker: player 1 bets any multiple of the step; player 2 calls or folds",
        KuhnNoLimit,
        (_STACK, _STEP, Parameter("cards", 3, "cards in the deck", 2, 100)),
        "kuhn-nl:stack=10",
    ),
    GameEntry(
        "kuhn-multiplayer",
        "Kuhn poker for three players and more, one card more than players",
        KuhnMultiplayer,
        (Parameter("players", 3, "players", 2, 7),),
        "kuhn-multiplayer:players=4",
        aliases=("kuhn3",),
    ),
    GameEntry(
        "liars-dice",
        "liar's dice for two, highest face wild",
        LiarsDice,
        (Parameter("sides", 6, "sides of a die", 2, 8), Parameter("dice", 1, "dice of each player", 1, 4)),
        "liars-dice:sides=4",
    ),
    GameEntry(
        "goofspiel",
        "goofspiel for two: bid cards for prizes",
        Goofspiel,
        (
            Parameter("cards", 4, "cards of each player", 2, 8),
            Parameter("order", "descending", "order of the prizes", choices=ORDERS),
            Parameter("imp_info", True, "whether bids stay hidden and only the winner of a prize is seen"),
            Parameter("returns", "win_loss", "what is paid", choices=RETURNS),
        ),
        "goofspiel:cards=5",
    ),
    GameEntry("rps", "rock-paper-scissors", matrix.rock_paper_scissors),
    GameEntry("rpst", "rock-paper-scissors in which player 2 has a dominated fourth move", matrix.rpst),
    GameEntry("fig-10.2", "player 1 chooses one of three matrix games, which is then played", figure_10_2),
    GameEntry("rps-sequential", "rock-paper-scissors as a tree: player 2 moves second, blindly", sequential_rps),
    GameEntry(
        "fig-8.2",
        "matrix game in which purification gains k",
        matrix.figure_8_2,
        (Parameter("k", Fraction(1), "the gain", Fraction(0)),),
        "fig-8.2:k=1",
    ),
    GameEntry("fig-13.5", "matrix game with a gift that is not dominated", matrix.figure_13_5),
    GameEntry("fig-13.6", "matrix game with a move outside all supports that is not a gift", matrix.figure_13_6),
    GameEntry("fig-13.7", "first stage of the gift game", matrix.figure_13_7),
    GameEntry("fig-13.8", "second stage of the gift game", matrix.figure_13_8),
    GameEntry("fig-13.9", "two-stage gift game: fig-13.7, then fig-13.8", figure_13_9),
    GameEntry(
        "random",
        "a random game with perfect recall",
        random_game,
        (
            Parameter("seed", 1, "which of the random games", 0),
            Parameter("depth", 4, "moves on the longest path", 0, 14),
            Parameter("branching", 3, "most moves at a node", 1, 26),
            Parameter("merge", Fraction(1, 2), "how often a node joins an information set", Fraction(0), Fraction(1)),
            Parameter("chance", Fraction(1, 5), "how often chance moves", Fraction(0), Fraction(1)),
            Parameter("payoff", 10, "largest absolute payoff", 0),
            Parameter("players", 2, "players", 1, 10),
            Parameter("zero_sum", True, "whether payoffs sum to zero"),
        ),
        "random:seed=1,depth=4",
    ),
)
