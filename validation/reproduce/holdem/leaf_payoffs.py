"""What limit hold'em of three rounds pays at its leaves: rollouts, simulated betting, and a solved river (GS2, §5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from equiform.validation.certificates.bucketed import BucketCertificate, certify_buckets
from equiform.validation.reproduce.cell import Cell, new
from equiform.validation.reproduce.experiment import Experiment, Part

if TYPE_CHECKING:
    from equiform.models.bucketed import BucketedGame
    from equiform.models.common.array_types import FloatArray
    from equiform.validation.reproduce.holdem.solving import Profile

#: Rivers drawn per turn board, for the card matrices of all games.
RIVERS = 2


def compare(buckets: tuple[int, ...], raises: int, flops: int, gap: float) -> list[Cell]:
    """Solve four rounds, and three rounds with each kind of leaves.

    ``raises`` bets and raises are allowed per street, one less before the flop; ``gap`` (small bets) is that of four
    rounds, and a tenth of it that of three.
    """
    from equiform.abstraction.holdem.blueprint import HoldemBlueprint
    from equiform.abstraction.holdem.boards import Sweep
    from equiform.abstraction.holdem.estimate import estimate_deals
    from equiform.abstraction.holdem.game import LEAVES, holdem_game, leaf_payoffs
    from equiform.abstraction.holdem.hand_buckets import HandBuckets
    from equiform.games.poker.holdem.tree import HoldemBetting
    from equiform.models.bucketed import BucketStrategy
    from equiform.validation.reproduce.holdem.solving import buckets_by_strength, solved

    abstraction = buckets_by_strength(buckets)
    allowed = (raises - 1, raises, raises, raises)
    betting, trunk = (HoldemBetting(rounds=n, raises=allowed) for n in (4, 3))
    three, four = (estimate_deals(HandBuckets(abstraction, n), Sweep(flops, RIVERS)) for n in (3, 4))
    whole = holdem_game(abstraction, betting, four)
    four_rounds = solved(whole, gap * betting.small_bet)
    rest, proof = four_rounds.profile, four_rounds.proof
    river = HoldemBlueprint(abstraction, betting, (rest[0].tables, rest[1].tables))
    games = {}
    for kind in LEAVES:
        dealt = four if kind == "strategy" else three
        leaves = leaf_payoffs(kind, trunk, dealt, river)
        games[kind] = holdem_game(abstraction, trunk, dealt.truncated(3), leaves)
    exact, unit = games["strategy"], betting.small_bet
    first, second = (BucketStrategy(exact.betting, p, s.tables[:3]) for p, s in enumerate(rest))
    cells, title = [], f"{raises} bet{'s' * (raises > 1)}"
    for kind, game in games.items():
        found = solved(game, gap * unit / 10)
        judged, bracket = certify_buckets(whole, _continued(found.profile, rest)), found.proof
        cells += [
            _value(f"{title}: {kind}", bracket, unit, within=proof if kind == "strategy" else bracket),
            new(f"{title}: {kind}", "distance, chips", distance(exact, game, (first, second))),
            new(f"{title}: {kind}", "exploitability, small bets", judged.exploitability / unit),
        ]
    last = f"{title}: four rounds"
    return [
        *cells,
        _value(last, proof, unit, within=proof),
        new(last, "exploitability, small bets", proof.exploitability / unit),
    ]


def _continued(profile: Profile, rest: Profile) -> Profile:
    from equiform.models.bucketed import continued

    return continued(profile[0], rest[0]), continued(profile[1], rest[1])


def _value(row: str, proof: BucketCertificate, unit: float, *, within: BucketCertificate) -> Cell:
    """Show a value with its bracket, which must overlap another: a solved river keeps the value of four rounds."""
    overlap = proof.lower <= within.upper and within.lower <= proof.upper
    found = (proof.value / unit, proof.lower / unit, proof.upper / unit)
    return new(row, "value, small bets", *found, holds=overlap)


def distance(game: BucketedGame, other: BucketedGame, profile: Profile) -> float:
    """Return the root of the mean squared difference between the leaves' payoffs in two games, in chips.

    Leaves and pairs of buckets are weighted by how often the profile gets there in the first game.
    """
    import numpy as np

    from equiform.models.bucketed.leaves import leaf_nodes

    squares = weights = 0.0
    arriving = _arrivals(game, profile)
    met = game.deals.counts * (other.deals.counts > 0)
    for k, node in enumerate(leaf_nodes(game.betting).tolist()):
        x, y = arriving[node]
        weight = x[:, None] * met * y[None, :]
        mine, theirs = (
            np.divide(g.leaves.at(k), g.deals.counts, out=np.zeros_like(met), where=met > 0) for g in (game, other)
        )
        squares += float((weight * (mine - theirs) ** 2).sum())
        weights += float(weight.sum())
    return float(np.sqrt(squares / weights))


def _arrivals(game: BucketedGame, profile: Profile) -> dict[int, list[FloatArray]]:
    """Return for every node both players' probabilities of arriving, by their bucket on the node's round."""
    import numpy as np

    from equiform.models.rules import CHANCE

    tree, deals = game.betting, game.deals
    found: dict[int, list[FloatArray]] = {0: [np.ones(deals.sizes(p)[0]) for p in range(2)]}
    for node in range(len(tree)):
        who, street = int(tree.turn[node]), int(tree.street[node])
        for k, child in enumerate(tree.children[node]):
            if who == CHANCE:
                found[child] = [x[deals.up[p][street]] for p, x in enumerate(found[node])]
            else:
                found[child] = [x * profile[p].at(node)[:, k] if p == who else x for p, x in enumerate(found[node])]
    return found


def parts(quick: bool) -> Sequence[Part]:
    """Return the only part: all games share the river of four rounds."""
    if quick:
        return [Part("1-bet", compare, ((2, 4, 8, 16), 1, 3, 0.05))]
    return [Part("2-bets", compare, ((5, 25, 100, 400), 2, 24, 0.01))]


EXPERIMENT = Experiment(
    id="leaf-payoffs",
    title="Limit hold'em cut off before the river: three kinds of leaves",
    source="Gilpin and Sandholm 2007, §5",
    about=(
        "Three rounds of abstract limit hold'em are solved with leaves by rollout, by simulated betting and by a "
        "solved river. Distance: how far a leaf's payoffs are from those of the solved river, weighted by how often "
        "the solution of four rounds gets there. Exploitability: of the first three rounds in the game of four, with "
        "the river of its solution."
    ),
    tolerance="numbers are ours: the paper compares its leaves by matches",
    parts=parts,
    seconds=(10, 60),
    column_title="bets per street: leaves",
)
