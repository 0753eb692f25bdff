"""What the experiments on abstract hold'em share: dealing a game, and solving it with a proof."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from equiform.abstraction.cards.build import build_abstraction
from equiform.abstraction.cards.card_abstraction import CardAbstraction
from equiform.abstraction.holdem.boards import Sweep
from equiform.abstraction.holdem.estimate import estimate_deals
from equiform.abstraction.holdem.game import holdem_game
from equiform.abstraction.holdem.hand_buckets import HandBuckets
from equiform.games.poker.holdem.tree import HoldemBetting
from equiform.models.bucketed import BucketedGame, BucketStrategy
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.registry import create
from equiform.validation.certificates.bucketed import BucketCertificate, certify_buckets

Profile = tuple[BucketStrategy, BucketStrategy]


@dataclass(frozen=True, eq=False)
class SolvedGame:
    """A profile of an abstract game, and its proof in chips."""

    profile: Profile = field(repr=False)
    proof: BucketCertificate
    iterations: int


@cache
def buckets_by_strength(sizes: tuple[int, ...]) -> CardAbstraction:
    """Return buckets by expected strength; most of the time goes into tables of all hands."""
    return build_abstraction("texas", "expectation", sizes)


def deal(abstraction: CardAbstraction, betting: HoldemBetting, flops: int, rivers: int) -> BucketedGame:
    """Deal all flops or some, with all river cards (0) or some, for a game that ends with its last round's cards."""
    sweep = Sweep.of_rounds(betting.rounds, flops=flops, rivers=rivers)
    return holdem_game(abstraction, betting, estimate_deals(HandBuckets(abstraction, betting.rounds), sweep))


def solved(game: BucketedGame, gap: float) -> SolvedGame:
    """Solve an abstract game to a gap in chips by discounted CFR, and prove it."""
    result = create("dcfr", game.sequence_form()).run(Until(gap))
    first, second = (BucketStrategy.from_behavior(game, p, s.floats) for p, s in enumerate(result.strategies))
    return SolvedGame((first, second), certify_buckets(game, (first, second)), result.checkpoint.iteration)
