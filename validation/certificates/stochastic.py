"""The ex post check of a stochastic game in exact rationals: for small games written out, nothing is rounded.

Each player's best response to the others is a Markov decision process over the states; policy iteration solves it with
fractions, from the players' own strategies on, and changes an action only for a gain (thesis Algorithms 8 and 9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from equiform.models.common.errors import CertificateError, GameError, StrategyError
from equiform.models.stochastic.explicit import ExplicitStochasticGame

#: Per player, per state: the probability of each action.
Profile = Sequence[Mapping[str, Mapping[str, Fraction]]]


@dataclass(frozen=True)
class StochasticCertificate:
    """Exact values of a profile and of best responses to it, per player and state."""

    game: str
    values: tuple[Mapping[str, Fraction], ...]
    best_values: tuple[Mapping[str, Fraction], ...]

    @property
    def epsilon(self) -> Fraction:
        """The largest gain of any player from any state."""
        return max(b[s] - v[s] for v, b in zip(self.values, self.best_values, strict=True) for s in v)

    def require(self, tolerance: Fraction | float = 0) -> StochasticCertificate:
        """Return the certificate itself, or raise if somebody gains more than ``tolerance``."""
        if self.epsilon > tolerance:
            raise CertificateError(
                f"the profile is not an equilibrium: somebody gains {float(self.epsilon):.6g}",
                where=f"{self.game}, tolerance {float(tolerance):g}",
                fix="solve to a smaller gap",
            )
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "game": self.game,
            "epsilon": str(self.epsilon),
            "values": [{s: str(v) for s, v in player.items()} for player in self.values],
            "best_values": [{s: str(v) for s, v in player.items()} for player in self.best_values],
        }


def certify_stochastic(game: ExplicitStochasticGame, profile: Profile) -> StochasticCertificate:
    """Check a profile of stationary strategies, exactly."""
    _require_profile(game, profile)
    values, best = [], []
    for player in range(len(game.players)):
        choices = {s: _prospects(game, profile, player, s) for s in game.states}
        own = {s: dict(profile[player][s]) for s in game.states}
        value = _evaluate(game, choices, own)
        values.append(value)
        best.append(_policy_iteration(game, choices, own, value))
    return StochasticCertificate(game.name, tuple(values), tuple(best))


_Choice = tuple[Fraction, dict[str, Fraction]]


def _prospects(game: ExplicitStochasticGame, profile: Profile, player: int, state: str) -> dict[str, _Choice]:
    """Return, per own action, the expected payoff and where it leads when the others mix."""
    here = game.states[state]
    found: dict[str, _Choice] = {a: (Fraction(0), {}) for a in here.actions[player]}
    for joint in product(*here.actions):
        weight = Fraction(1)
        for other, action in enumerate(joint):
            if other != player:
                weight *= profile[other][state].get(action, Fraction(0))
        if weight:
            outcome = here.outcomes[joint]
            payoff, moves = found[joint[player]]
            for successor, chance in outcome.next.items():
                moves[successor] = moves.get(successor, Fraction(0)) + weight * chance
            found[joint[player]] = (payoff + weight * outcome.payoffs[player], moves)
    return found


def _policy_iteration(
    game: ExplicitStochasticGame,
    choices: Mapping[str, Mapping[str, _Choice]],
    policy: dict[str, dict[str, Fraction]],
    value: dict[str, Fraction],
) -> dict[str, Fraction]:
    while True:
        changed = False
        for state, actions in choices.items():
            worth = {a: r + game.discount * sum(p * value[t] for t, p in q.items()) for a, (r, q) in actions.items()}
            best = max(worth, key=lambda a: worth[a])
            if worth[best] > sum((p * worth[a] for a, p in policy[state].items()), Fraction(0)):
                policy[state] = {best: Fraction(1)}
                changed = True
        if not changed:
            return value
        value = _evaluate(game, choices, policy)


def _evaluate(
    game: ExplicitStochasticGame,
    choices: Mapping[str, Mapping[str, _Choice]],
    policy: Mapping[str, Mapping[str, Fraction]],
) -> dict[str, Fraction]:
    """Solve v = r + γ P v; states that are never left and pay nothing are worth nothing."""
    names = list(game.states)
    rewards, moves = {}, {}
    for s in names:
        rewards[s] = sum((p * choices[s][a][0] for a, p in policy[s].items()), Fraction(0))
        moves[s] = {t: sum(p * choices[s][a][1].get(t, Fraction(0)) for a, p in policy[s].items()) for t in names}
    live = set(names)
    if game.discount == 1:
        live = {s for s in names if sum(moves[s].values()) < 1}
        while grown := {s for s in names if s not in live and any(moves[s][t] for t in live)}:
            live |= grown
        for s in set(names) - live:
            if rewards[s]:
                raise GameError("the total reward does not exist", where=f"state {s!r}", fix="use a discount below one")
    order = [s for s in names if s in live]
    rows = [[(s == t) - game.discount * moves[s][t] for t in order] + [rewards[s]] for s in order]
    solved = _solve(rows)
    return {s: Fraction(0) for s in names} | dict(zip(order, solved, strict=True))


def _solve(rows: list[list[Fraction]]) -> list[Fraction]:
    """Eliminate, with fractions."""
    n = len(rows)
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k])
        rows[k], rows[pivot] = rows[pivot], rows[k]
        head = rows[k][k]
        rows[k] = [x / head for x in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                factor = rows[i][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[n] for row in rows]


def _require_profile(game: ExplicitStochasticGame, profile: Profile) -> None:
    if len(profile) != len(game.players):
        raise StrategyError(f"{len(profile)} strategies", where=game.name, fix="pass one per player")
    for player, strategy in enumerate(profile):
        for state, here in game.states.items():
            mixed = strategy.get(state, {})
            if sum(mixed.values()) != 1 or min(mixed.values()) < 0 or not set(mixed) <= set(here.actions[player]):
                raise StrategyError(
                    "not a distribution over the actions",
                    where=f"{game.players[player]}, state {state!r}",
                    fix="pass probabilities that sum to exactly one",
                )
