"""The programs of this package: one entry each, as data (:mod:`equiform.formulations.registry` says what it means)."""

from __future__ import annotations

from fractions import Fraction

from equiform.formulations.registry import Formulation
from equiform.models.common.parameters import Parameter

_HERE = "equiform.formulations"
_INPUTS = f"{_HERE}.inputs"
_TRANSLATION = "equiform.abstraction.actions.translation_programs"  # needs more than models
_ENDGAMES = "equiform.endgames.programs"  # needs cuts and blueprints

PLAYER = Parameter("player", 1, "whose program, 1 or 2", 1, 2)
UNREACHED = Parameter(
    "unreached", "best-response", "what to play where a plan never arrives", choices=("best-response", "uniform")
)
AGAINST = Parameter("against", "uniform", "the opponent: uniform, or a strategy file")
WORST = Parameter("worst", False, "whether to look for the worst instead of the best")
OBJECTIVE = Parameter("objective", "any", "which equilibrium", choices=("any", "welfare", "regret"))
BREAKPOINTS = Parameter("breakpoints", 9, "breakpoints per curve, for products of three players or more", 2, 100_000)
MOVE = Parameter("move", 1, "the opponent's move, by the number of its sequence", 1)
HANDS = Parameter("hands", 100, "hands that were observed", 0)
LEVEL = Parameter("level", 1, "which level of the opponent's public histories, from 1", 1)
BETS = Parameter("bets", "1", "bets in the abstraction, as shares of the pot, separated by semicolons")
CUT = Parameter("cut", "moves=1", "where endgames begin: chance=N, moves=N or history=EVENTS")
BLUEPRINT = Parameter(
    "blueprint", "uniform", "the strategies so far: uniform, equilibrium, a strategy file, or groups:0,0,1 (per rank)"
)
ENDGAME = Parameter("endgame", 1, "which endgame of the cut, from 1", 1)
DELTA = Parameter("delta", Fraction(0), "how far from its value play may be within an endgame", Fraction(0))

CATALOGUE = (
    Formulation(
        "nash",
        "What is an equilibrium of this game?",
        f"{_HERE}.zero_sum.sequence_form_lp:build",
        f"{_HERE}.zero_sum.sequence_form_lp:solve",
        parameters=(PLAYER,),
        answers=(UNREACHED,),
        concept=True,
        equilibrium=True,
        exact="equiform.validation.exact.equilibrium:exact_equilibrium",
        certificate="best responses of both players, computed on the game itself",
        page="programs/sequence_form_lp",
    ),
    Formulation(
        "une",
        "… one that makes no dominated mistake?",
        f"{_INPUTS}.zero_sum:build_undominated",
        f"{_INPUTS}.zero_sum:solve_undominated",
        parameters=(PLAYER,),
        concept=True,
        equilibrium=True,
        exact="equiform.validation.exact.refinements:exact_undominated",
        certificate="best responses; exact dominance tests",
        page="programs/undominated",
    ),
    Formulation(
        "qpe",
        "… one that plays well even after mistakes?",
        f"{_HERE}.zero_sum.quasi_perfect:build",
        f"{_HERE}.zero_sum.quasi_perfect:solve",
        parameters=(
            Parameter("epsilon", Fraction(1, 1000), "a small positive number, such as 1/1000", required=True),
            PLAYER,
        ),
        concept=True,
        exact="equiform.validation.exact.quasi_perfect:exact_quasi_perfect",
        certificate="residuals of every decision in the perturbed game",
        page="programs/quasi_perfect",
    ),
    Formulation(
        "proper",
        "… one that exploits the opponent's mistakes, the least costly ones first?",
        f"{_HERE}.zero_sum.proper:build",
        f"{_INPUTS}.zero_sum:solve_proper",
        parameters=(PLAYER,),
        concept=True,
        equilibrium=True,
        exact="equiform.validation.exact.proper:exact_proper",
        certificate="best responses; exact dominance tests",
        page="programs/proper",
    ),
    Formulation(
        "matrix",
        "… of a game in a table?",
        f"{_HERE}.zero_sum.matrix_game_lp:build",
        f"{_HERE}.zero_sum.matrix_game_lp:solve",
        takes="matrix game",
        certificate="best responses in the table",
        page="programs/sequence_form_lp",
        example="rps",
    ),
    Formulation(
        "best-response",
        "What is the best response to this strategy?",
        f"{_INPUTS}.zero_sum:build_best_response",
        f"{_INPUTS}.zero_sum:solve_best_response",
        parameters=(AGAINST, PLAYER),
        certificate="a backward pass over the game",
        page="programs/safe_response",
    ),
    Formulation(
        "dominance",
        "Is this strategy weakly dominated, and by what?",
        f"{_INPUTS}.zero_sum:build_dominance",
        f"{_INPUTS}.zero_sum:solve_dominance",
        parameters=(Parameter("strategy", "uniform", "the strategy in question: uniform, or a strategy file"), PLAYER),
        certificate="the dominating strategy's worst case, by a backward pass; exact dominance tests",
        page="programs/dominance",
    ),
    Formulation(
        "selection",
        "Which equilibrium is the best, or the worst, against this opponent?",
        f"{_INPUTS}.zero_sum:build_selection",
        f"{_INPUTS}.zero_sum:solve_selection",
        parameters=(AGAINST, WORST, PLAYER),
        certificate="the guarantee of each end, by a backward pass",
        page="programs/selection",
    ),
    Formulation(
        "minimal-support",
        "Which equilibrium strategy has the fewest moves?",
        f"{_INPUTS}.zero_sum:build_minimal_support",
        f"{_HERE}.zero_sum.minimal_support:solve",
        parameters=(PLAYER,),
        certificate="the guarantee, by a backward pass; all vertices, exactly, in small games",
        page="programs/proper",
    ),
    Formulation(
        "purified-selection",
        "How good, or how bad, can a rounded equilibrium strategy be?",
        f"{_INPUTS}.zero_sum:build_purified_selection",
        f"{_INPUTS}.zero_sum:solve_purified_selection",
        parameters=(
            AGAINST,
            WORST,
            Parameter("gain", False, "whether to count what rounding adds instead of what the result earns"),
            PLAYER,
        ),
        certificate="the rounded strategy's payoff, computed on the game",
        page="programs/purified_selection",
    ),
    Formulation(
        "safe-response",
        "How much can I win from this opponent if I may risk ε?",
        f"{_INPUTS}.opponents:build_safe_response",
        f"{_INPUTS}.opponents:solve_safe_response",
        parameters=(
            AGAINST,
            Parameter("epsilon", Fraction(0), "how far below the game's value the guarantee may lie", Fraction(0)),
            PLAYER,
        ),
        certificate="the guarantee and the payoff, by backward passes",
        page="programs/safe_response",
    ),
    Formulation(
        "gift-most",
        "How much does a move of the opponent give away at most?",
        f"{_INPUTS}.opponents:build_gift_most",
        f"{_INPUTS}.opponents:solve_gifts",
        parameters=(MOVE, PLAYER),
        certificate="best responses that must play the move",
        page="programs/gifts",
    ),
    Formulation(
        "gift-least",
        "… and at least?",
        f"{_INPUTS}.opponents:build_gift_least",
        f"{_INPUTS}.opponents:solve_gifts",
        parameters=(MOVE, PLAYER),
        certificate="best responses that must play the move",
        page="programs/gifts",
        example="rps",
    ),
    Formulation(
        "opponent-l1",
        "Which strategy explains what the opponent has shown, and is nearest to an equilibrium (L1)?",
        f"{_INPUTS}.opponents:build_opponent_l1",
        f"{_INPUTS}.opponents:solve_opponent_l1",
        takes="game",
        parameters=(AGAINST, HANDS, LEVEL, PLAYER),
        certificate="the frequencies of the model, computed from its behaviour",
        page="programs/dbbr_l1",
    ),
    Formulation(
        "opponent-l2",
        "… nearest in L2?",
        f"{_INPUTS}.opponents:build_opponent_l2",
        f"{_INPUTS}.opponents:solve_opponent_l2",
        takes="game",
        parameters=(AGAINST, HANDS, LEVEL, PLAYER),
        certificate="the frequencies of the model, computed from its behaviour",
        page="programs/dbbr_l2",
    ),
    Formulation(
        "mip-nash",
        "What is an equilibrium of a game that is not zero-sum, or has more than two players?",
        f"{_INPUTS}.general_sum:build_mip_nash",
        f"{_INPUTS}.general_sum:solve_mip_nash",
        takes="game",
        parameters=(OBJECTIVE, BREAKPOINTS),
        certificate="every player's regret, computed on the game itself",
        page="parametric/08_mip_nash",
        example="rps-sequential",
    ),
    Formulation(
        "thresholds",
        "Where are the thresholds of this qualitative model?",
        f"{_INPUTS}.parametric:build_thresholds",
        f"{_INPUTS}.parametric:solve_thresholds",
        takes="signal game",
        parameters=(BREAKPOINTS,),
        certificate="gains at every signal, by integration",
        page="parametric/02_two_players",
        example="bet-or-check",
    ),
    Formulation(
        "every-signal",
        "… if plans must be best at every signal?",
        f"{_INPUTS}.parametric:build_every_signal",
        f"{_INPUTS}.parametric:solve_every_signal",
        takes="signal game",
        certificate="gains at every signal, by integration",
        page="parametric/07_every_signal",
        example="kuhn-deck:cards=5",
    ),
    Formulation(
        "optimal-translation",
        "How should I read bets that my abstraction lacks?",
        f"{_TRANSLATION}:build_optimal_translation",
        f"{_TRANSLATION}:solve_optimal_translation",
        takes="betting game",
        parameters=(BETS, Parameter("player", 2, "whose program, 1 or 2", 1, 2)),
        certificate="a best response to the translated strategy, on the full game",
        page="programs/optimal_translation",
        example="clairvoyance:stack=5,step=1",
    ),
    Formulation(
        "least-exploitable",
        "Which equilibrium of an abstract game is least exploitable in the full one?",
        f"{_TRANSLATION}:build_least_exploitable",
        f"{_TRANSLATION}:solve_least_exploitable",
        takes="betting game",
        parameters=(BETS, Parameter("player", 2, "whose program, 1 or 2", 1, 2)),
        certificate="a best response to the image of the strategy, on the full game",
        page="programs/optimal_translation",
        example="clairvoyance:stack=5,step=1",
    ),
    Formulation(
        "endgame-unsafe",
        "How is this endgame played if both trunk strategies were followed?",
        f"{_ENDGAMES}:build_unsafe",
        f"{_ENDGAMES}:solve_unsafe",
        takes="game tree",
        parameters=(
            CUT,
            BLUEPRINT,
            ENDGAME,
            Parameter("floor", Fraction(0), "the least weight with which players are taken to arrive", Fraction(0)),
            PLAYER,
        ),
        certificate="a best response to the glued strategy, in the whole game",
        page="endgames/unsafe",
    ),
    Formulation(
        "endgame-resolve",
        "… so that no hand of the opponent gains against the old strategy?",
        f"{_ENDGAMES}:build_resolve",
        f"{_ENDGAMES}:solve_resolve",
        takes="game tree",
        parameters=(CUT, BLUEPRINT, ENDGAME, PLAYER),
        certificate="a best response to the glued strategy, in the whole game",
        page="endgames/resolve_gadget",
    ),
    Formulation(
        "endgame-max-margin",
        "… so that every hand of the opponent loses as much as possible?",
        f"{_ENDGAMES}:build_max_margin",
        f"{_ENDGAMES}:solve_max_margin",
        takes="game tree",
        parameters=(CUT, BLUEPRINT, ENDGAME, PLAYER),
        certificate="a best response to the glued strategy, in the whole game",
        page="endgames/max_margin",
    ),
    Formulation(
        "endgame-joint",
        "What is the best play below this trunk, in all endgames together?",
        f"{_ENDGAMES}:build_joint",
        f"{_ENDGAMES}:solve_joint",
        takes="game tree",
        parameters=(CUT, BLUEPRINT, PLAYER),
        certificate="the guarantee, by a backward pass",
        page="endgames/joint",
    ),
    Formulation(
        "endgame-worst-play",
        "How much can an opponent with other hands collect from good endgame play?",
        f"{_ENDGAMES}:build_worst_play",
        f"{_ENDGAMES}:solve_worst_play",
        takes="game tree",
        parameters=(
            CUT,
            BLUEPRINT,
            ENDGAME,
            Parameter("classes", "all", "the opponent's classes: all, or numbers from 1 with semicolons between them"),
            DELTA,
            PLAYER,
        ),
        certificate="a best response to the glued strategy, in the whole game",
        page="endgames/endgame_property",
    ),
    Formulation(
        "endgame-property",
        "How exploitable can good endgame play be?",
        f"{_ENDGAMES}:build_property",
        f"{_ENDGAMES}:solve_property",
        takes="game tree",
        parameters=(CUT, BLUEPRINT, DELTA, PLAYER),
        certificate="a best response to the glued strategy, in the whole game",
        page="endgames/endgame_property",
    ),
    Formulation(
        "stochastic-response",
        "What is a best response worth in every state of a stochastic game?",
        f"{_INPUTS}.stochastic:build_best_responses",
        f"{_INPUTS}.stochastic:solve_best_responses",
        takes="stochastic game",
        certificate="policy iteration in the same decision process",
        page="tournaments/theory",
        example="game.json",
    ),
    Formulation(
        "children",
        "How should buckets be divided among the parents of an abstraction tree?",
        f"{_INPUTS}.abstraction:build_children",
        f"{_INPUTS}.abstraction:solve_children",
        takes="error table",
        parameters=(Parameter("budget", 24, "children in all", 1, required=True),),
        certificate="the expected error, recomputed from the table; a Lagrangian bound",
        page="abstraction/expectation",
        example="errors.json",
    ),
)
"""All programs, in the order of the documentation."""
