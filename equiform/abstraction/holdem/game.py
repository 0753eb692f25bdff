"""From betting and deals to an abstract game of hold'em, and what it pays where it is cut off."""

from __future__ import annotations

from equiform.abstraction.cards.card_abstraction import CardAbstraction
from equiform.abstraction.holdem.blueprint import HoldemBlueprint
from equiform.abstraction.holdem.boards import Sweep
from equiform.abstraction.holdem.deals import HoldemDeals
from equiform.abstraction.holdem.leaves import river_frequencies, rollout_leaves, simulated_leaves
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.bucketed.game import BucketedGame
from equiform.models.bucketed.leaves import LeafPayoffs
from equiform.models.bucketed.truncation import strategy_leaves
from equiform.models.common.arguments import require_name
from equiform.models.common.errors import ParameterError
from equiform.runs.progress import Listener, silent

LEAVES = ("rollout", "simulated", "strategy")
ROUND_NAMES = ("preflop", "flop", "turn", "river")


def holdem_game(
    abstraction: CardAbstraction,
    betting: HoldemBetting,
    found: HoldemDeals,
    leaves: LeafPayoffs | None = None,
) -> BucketedGame:
    """Join betting, buckets and leaves to an abstract game; without leaves, hands are compared or rolled out."""
    tree = betting.tree()
    paid = rollout_leaves(tree, found) if leaves is None else leaves
    sizes = "/".join(map(str, found.deals.sizes(0)))
    kind = "limit" if betting.bets else "no-limit"
    name = f"{kind} hold'em, {sizes} buckets by {abstraction.method}, {paid.kind} leaves"
    return BucketedGame(name, tree, found.deals, paid, ("small blind", "big blind"), ROUND_NAMES[: betting.rounds])


def leaf_payoffs(
    kind: str,
    betting: HoldemBetting,
    dealt: HoldemDeals,
    river: HoldemBlueprint | None = None,
    *,
    progress: Listener = silent,
) -> LeafPayoffs:
    """Return what a game of three rounds pays at its end.

    Parameters
    ----------
    kind
        ``rollout``, ``simulated`` or ``strategy``.
    betting
        Of the three rounds.
    dealt
        The deals of three rounds, or for ``strategy`` of four: the game then takes ``dealt.truncated(3)``, so that its
        leaves pay for the deals that it counts.
    river
        A solved game of four rounds, for all kinds but ``rollout``.
    progress
        Called with events.
    """
    require_name(kind, LEAVES, "leaves", "hold'em")
    if kind == "rollout":
        return rollout_leaves(betting.tree(), dealt)
    if river is None:
        raise ParameterError(
            f"{kind} leaves need a solved game of four rounds", where="hold'em", fix="solve one and pass its folder"
        )
    if kind == "strategy":
        return strategy_leaves(betting.tree(), holdem_game(river.abstraction, river.betting, dealt), river.strategies)
    sweep = dealt.sweep
    frequencies = river_frequencies(river.buckets, river.strategies, seed=sweep.seed, progress=progress)
    boards = Sweep(sweep.flops or 200, min(sweep.rivers, 2), sweep.seed)
    return simulated_leaves(betting, dealt.histories.buckets, dealt, frequencies, boards, progress=progress)
