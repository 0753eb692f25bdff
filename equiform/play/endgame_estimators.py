r"""Which hands count when two versions of an agent differ in endgames only?

S. Ganzfried, PhD thesis (CMU 2015), §10.6. Versions :math:`A_1` and :math:`A_2` play alike in the trunk. Hands that end
there carry no information about their difference, only luck. With :math:`p_i` the probability of endgame i and
:math:`u^k_i` what version k then earns, the difference per hand that reaches an endgame is

.. math:: \Delta = \frac{\sum_i p_i (u^2_i - u^1_i)}{\sum_i p_i} .

* *same*: only hands on which both versions reach the same endgame. Its expectation weighs endgame i by
  :math:`p_i^2` instead: biased (Proposition 12).
* *both*: hands on which both reach some endgame. Unbiased (Proposition 13), **if the two versions' hands are
  independent**. Duplicate dealing breaks that: with the same cards d in both hands, deals weigh
  :math:`P(d)^2` instead of :math:`P(d)`, and the estimator is biased again unless all deals reach endgames equally
  often.
* *each*: what each version earned on its own hands that reached an endgame, divided by how often an endgame is
  reached. Unbiased however hands are paired.
* *all*: all hands, scaled alike. Unbiased and noisy: the yardstick.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from equiform.endgames.cut import Cut
from equiform.models.common.arguments import require_count, require_name, require_player
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.models.evaluation import reach_probabilities
from equiform.play.common_random import match_key, mix
from equiform.play.hands import play_hands
from equiform.play.match import Estimate
from equiform.play.seat import Seat

ESTIMATORS = ("all", "each", "both", "same")
COUPLINGS = {
    "independent": "two hands that have nothing in common: what Proposition 13 assumes",
    "cards": "duplicate dealing: the same cards, the players' own draws are independent",
    "common": "the same cards and the same draws: the versions part only inside an endgame",
}


@dataclass(frozen=True, eq=False)
class PairedHands:
    """Hands of two versions of an agent, pair by pair."""

    payoffs: FloatArray = field(repr=False)
    """``payoffs[version, pair]``, to the agent."""
    endgames: IntArray = field(repr=False)
    """The endgame that was reached; -1 if none."""

    @property
    def reach(self) -> float:
        """How often an endgame was reached, over both versions."""
        return float((self.endgames >= 0).mean())

    def estimate(self, estimator: str) -> Estimate:
        """Estimate by how much the second version is better, per hand that reaches an endgame.

        Raises
        ------
        ParameterError
            If no pair of hands counts.
        """
        require_name(estimator, ESTIMATORS, "estimator", "endgame evaluation")
        gain = self.payoffs[1] - self.payoffs[0]
        reached = self.endgames >= 0
        counted = {"both": reached.all(axis=0), "same": reached[0] & (self.endgames[0] == self.endgames[1])}
        if estimator in counted:
            chosen = gain[counted[estimator]]
            if not len(chosen):
                raise ParameterError("no pair of hands counts", where=estimator, fix="play more hands")
            return Estimate.of(chosen)
        if not reached.any():
            raise ParameterError("no hand reached an endgame", where=estimator, fix="play more hands")
        samples = gain if estimator == "all" else (self.payoffs * reached)[1] - (self.payoffs * reached)[0]
        whole = Estimate.of(samples)
        return Estimate(whole.mean / self.reach, whole.half_width / self.reach)

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates as plain values for JSON."""
        found = {name: self.estimate(name) for name in ESTIMATORS}
        return {"reach": self.reach, **{n: {"mean": e.mean, "half_width": e.half_width} for n, e in found.items()}}


def play_pairs(
    cut: Cut,
    seat: Seat,
    versions: tuple[FloatArray, FloatArray],
    opponent: FloatArray,
    *,
    hands: int,
    seed: int,
    coupling: str = "cards",
) -> PairedHands:
    """Play pairs of hands with two versions of an agent against one opponent.

    Parameters
    ----------
    cut
        Where endgames begin.
    seat
        The agent's seat at the game that was cut.
    versions, opponent
        Behavioural strategies of the agent, old and new, and of the opponent.
    hands
        How many pairs.
    seed
        Of all draws.
    coupling
        What the two hands of a pair have in common, one of :data:`COUPLINGS`.
    """
    require_count(hands, "hands", "endgame evaluation")
    require_name(coupling, tuple(COUPLINGS), "coupling", "endgame evaluation")
    first = np.array([mix(match_key(seed, 0), np.uint64(k)) for k in range(hands)], dtype=np.uint64)
    second = np.array([mix(match_key(seed, 1), np.uint64(k)) for k in range(hands)], dtype=np.uint64)
    keys = (first, first if coupling == "common" else second)
    deals = (first, second if coupling == "independent" else first)
    against = np.broadcast_to(opponent, (hands, len(opponent)))
    leaves = np.stack(
        [
            play_hands(seat, np.broadcast_to(own, (hands, len(own))), against, key, 0, deals=deal)
            for own, key, deal in zip(versions, keys, deals, strict=True)
        ]
    )
    return PairedHands(seat.tree.payoff[leaves], cut.endgame_of_node[leaves])


def expected_estimates(
    cut: Cut, versions: tuple[FloatArray, FloatArray], opponent: FloatArray, *, player: int, coupling: str = "cards"
) -> dict[str, float]:
    """Compute on the tree what every estimator tends to with many hands; ``all`` is the truth.

    With ``cards`` the moves of chance before an entry are shared and later ones are not.
    """
    game = cut.game
    require_player(player, 2, game.name)
    require_name(coupling, tuple(COUPLINGS), "coupling", "endgame evaluation")
    leaves = game.terminals[cut.endgame_of_node[game.terminals] >= 0]
    deal = _deals(cut) if coupling != "independent" else np.zeros(len(cut.entries), dtype=np.int64)
    count = int(deal.max()) + 1
    cell = deal * cut.num_endgames + cut.endgame_of_entry  # of each entry: its deal and its endgame
    chance, earned = np.zeros(count), []
    mass: FloatArray = np.zeros((count, cut.num_endgames))
    for behavior in versions:
        pair = [behavior, opponent] if player == 0 else [opponent, behavior]
        reach = reach_probabilities(game, pair)
        moves = reach[0] * reach[1]
        prob = reach[-1] if coupling != "independent" else np.ones(game.num_nodes)
        weight = moves if coupling != "independent" else moves * reach[-1]
        chance[deal] = prob[cut.entries]
        mass = np.bincount(cell, weight[cut.entries], mass.size).reshape(mass.shape).astype(np.float64)
        later = reach[-1, leaves] / reach[-1, cut.entries[cut.entry_of_node[leaves]]]
        values = moves[leaves] * later * game.payoff_floats[game.outcome[leaves], player]
        if coupling == "independent":
            values = values * reach[-1, cut.entries[cut.entry_of_node[leaves]]]
        sums = np.bincount(cell[cut.entry_of_node[leaves]], values, count * cut.num_endgames)
        earned.append(sums.reshape(count, -1))
    gain = earned[1] - earned[0]
    truth = float((chance[:, None] * gain).sum() / (chance[:, None] * mass).sum())
    if coupling == "common":  # both versions are in the same place until an endgame begins
        return dict.fromkeys(ESTIMATORS, truth)
    whole = mass.sum(axis=1)
    both = float((chance * whole * gain.sum(axis=1)).sum() / (chance * whole**2).sum())
    same = float((chance[:, None] * mass * gain).sum() / (chance[:, None] * mass**2).sum())
    return {"all": truth, "each": truth, "both": both, "same": same}


def _deals(cut: Cut) -> IntArray:
    """Number what chance did before each entry."""
    game = cut.game
    paths = []
    for entry in cut.entries.tolist():
        node, moves = entry, []
        while node > 0:
            above = int(game.parent[node])
            if game.turn[above] < 0:
                moves.append(game.move_sets[game.move_set[above]][game.branch[node]])
            node = above
        paths.append(tuple(moves))
    number = {path: k for k, path in enumerate(dict.fromkeys(paths))}
    return np.array([number[path] for path in paths], dtype=np.int64)
