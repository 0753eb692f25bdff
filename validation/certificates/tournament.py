r"""The ex post check of a tournament (thesis Algorithm 9): what each player could gain, from every state and seat.

Nothing here is shared with the solvers but the table of all-in orders: hands are settled by another procedure, outcomes
are summed over the hands in another order and in double precision, and the decision processes are solved by dense
linear algebra. A profile leaves with the largest gain :math:`\varepsilon` of any player from any stacks, whatever the
solver claims, and whatever values it believed in.

The process that a player faces has a node per state and seat. Policy iteration starts from the profile itself, takes
the smallest non-negative solution where the game might go on forever, and changes a hand's action only for a gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.games.cards.all_in.counting import ORDERS
from equiform.games.tournament.structure import Tournament
from equiform.models.common.arguments import require_kind
from equiform.models.common.array_arguments import require_numbers
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import CertificateError, StrategyError

Deals = NDArray[Any]
_CHUNK = 96
_TIE = 1e-11
#: Lines of play by who jams; the last seat needs no decision when all others fold.
_LINES = {
    2: ((0, 0), (1, 0), (1, 1)),
    3: ((0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0), (1, 1, 1)),
}


@dataclass(frozen=True, eq=False)
class TournamentCertificate:
    """What a profile is worth and what deviations gain, by state and seat, in the units of the prizes."""

    tournament: Tournament
    values: FloatArray = field(repr=False)
    best_values: FloatArray = field(repr=False)
    rounds: int

    @property
    def gains(self) -> FloatArray:
        """What the best deviation gains."""
        return self.best_values - self.values

    @property
    def epsilon(self) -> float:
        """The largest gain."""
        return float(self.gains.max())

    @property
    def worst(self) -> tuple[str, str]:
        """The stacks and the seat of the largest gain."""
        state, seat = np.unravel_index(int(self.gains.argmax()), self.gains.shape)
        return self.tournament.state_name(int(state)), self.tournament.seats[int(seat)]

    def require(self, tolerance: float) -> TournamentCertificate:
        """Return the certificate itself, or raise if somebody gains more than ``tolerance``."""
        if not self.epsilon <= tolerance:
            stacks, seat = self.worst
            raise CertificateError(
                f"the profile is not an equilibrium: the {seat} gains {self.epsilon:.4g}",
                where=f"stacks {stacks}, tolerance {tolerance:g}",
                fix="run more iterations, from values that are not above the prizes",
            )
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        stacks, seat = self.worst
        return {"epsilon": self.epsilon, "worst": {"stacks": stacks, "seat": seat}, "rounds": self.rounds}


def certify_tournament(tournament: Tournament, orders: Deals, profile: Sequence[FloatArray]) -> TournamentCertificate:
    """Check a jam-or-fold profile of a tournament.

    Parameters
    ----------
    tournament
        Chips, blinds, prizes and conventions.
    orders
        The deals by order of strength, ``[13, n, n, n]`` for three players, ``[3, n, n]`` for two: probabilities, or
        whole numbers of deals (exact until they are summed in double precision).
    profile
        One vector of jamming probabilities per seat: by state, decision and hand.
    """
    require_kind(tournament, Tournament, "tournament", "ex post check")
    process = _Process(tournament, orders, profile)
    policies = process.profile
    values = best = process.evaluate(policies)
    for rounds in range(1, 100):
        improved = process.improve(policies, best)
        if improved is None:
            return TournamentCertificate(tournament, values, best, rounds)
        policies = improved
        best = process.evaluate(policies)
    raise CertificateError("policy iteration does not come to an end", where="ex post check", fix="report this profile")


# -- settlement: caps of those still in, one after the other ----------------------------------------------------------


def _pay(
    stacks: Sequence[int], bets: Sequence[int], shown: dict[int, int], first_seat: bool
) -> dict[tuple[int, ...], Fraction]:
    """Distribute the chips: every cap of a player still in closes a pot for those who reach it."""
    money = [s - b for s, b in zip(stacks, bets, strict=True)]
    outcomes: dict[tuple[int, ...], Fraction] = {tuple(money): Fraction(1)}
    paid = 0
    for cap in sorted({bets[i] for i in shown}):
        pot = sum(min(b, cap) - min(b, paid) for b in bets)
        able = [i for i in shown if bets[i] >= cap]
        best = min(shown[i] for i in able)
        winners = [i for i in able if shown[i] == best]
        each, odd = divmod(pot, len(winners))
        draws = [tuple(winners[:odd])] if first_seat else list(combinations(winners, odd))
        after: dict[tuple[int, ...], Fraction] = {}
        for (state, chance), lucky in product(outcomes.items(), draws):
            got = tuple(m + (each if i in winners else 0) + (i in lucky) for i, m in enumerate(state))
            after[got] = after.get(got, Fraction(0)) + chance / len(draws)
        outcomes, paid = after, cap
    back = [max(0, b - paid) for b in bets]
    return {tuple(m + x for m, x in zip(state, back, strict=True)): chance for state, chance in outcomes.items()}


def _prizes(game: Tournament, before: Sequence[int], after: Sequence[int], shown: dict[int, int]) -> list[float] | None:
    """Return the prizes when somebody has no chips left: two who stay share by chips, places by the convention."""
    out = [i for i, stack in enumerate(after) if stack == 0]
    if not out:
        return None
    stay = [i for i in range(len(after)) if i not in out]
    prizes = [0.0] * len(after)
    if len(stay) == 1:
        prizes[stay[0]] = game.payouts[0]
    else:
        for i in stay:
            prizes[i] = game.payouts[1] + (game.payouts[0] - game.payouts[1]) * after[i] / sum(after)
    rest = list(game.payouts[len(stay) :])
    if len(out) == 1:
        prizes[out[0]] = rest[0]
        return prizes
    if game.double_bust == "shared":
        keys = [0, 0]
    elif game.double_bust == "larger-stack":
        keys = [-before[i] for i in out]
    else:
        keys = [shown.get(i, 0) for i in out]
    if keys[0] == keys[1]:
        rest = [sum(rest) / 2] * 2
    elif keys[0] > keys[1]:
        rest.reverse()
    for i, prize in zip(out, rest, strict=True):
        prizes[i] = prize
    return prizes


# -- the decision processes of all players -----------------------------------------------------------------------------


class _Process:
    """Outcomes of all states: how likely each is to each hand of each seat, and where it leads."""

    def __init__(self, game: Tournament, orders: Deals, profile: Sequence[FloatArray]) -> None:
        self.game, self.seats = game, game.players
        self.states = [tuple(s) for s in game.states().tolist()]
        self.outcomes = _outcomes(self.seats)
        hands = orders.shape[-1]
        self.forced = np.array(
            [[s <= self._posted(i, s) for i, s in enumerate(stacks)] for stacks in self.states], dtype=bool
        )
        self.profile = [self._checked(seat, profile[seat], hands) for seat in range(self.seats)]
        self.reach = _reach(np.asarray(orders), self.profile)
        self._settle()

    def _posted(self, seat: int, stack: int) -> int:
        blind = (self.game.small_blind, self.game.big_blind)[seat - self.seats + 2] if seat >= self.seats - 2 else 0
        return min(stack, (blind + self.game.ante) // self.game.unit)

    def _checked(self, seat: int, strategy: FloatArray, hands: int) -> FloatArray:
        decisions = 1 if self.seats == 2 else seat + 1
        size = (len(self.states) * decisions * hands,)
        given = require_numbers(
            np.ravel(strategy), "probabilities", f"seat {seat + 1}", shape=size, least=0.0, most=1.0
        )
        jam = given.reshape(len(self.states), decisions, hands)
        if (jam[self.forced[:, seat]] < 1).any():
            raise StrategyError(
                "a player who is all in from the blinds folds",
                where=self.game.seats[seat],
                fix="jam with certainty there",
            )
        return jam

    def _settle(self) -> None:
        """Write, for every state and outcome, prizes and the next states with their probabilities."""
        number = {stacks: k for k, stacks in enumerate(self.states)}
        size = (len(self.states), len(self.outcomes))
        self.prizes = np.zeros((*size, self.seats))
        links: list[tuple[int, int, int, float]] = []
        for s, stacks in enumerate(self.states):
            for o, (line, shown) in enumerate(self.outcomes):
                bets = [x if jam else self._posted(i, x) for i, (x, jam) in enumerate(zip(stacks, line, strict=True))]
                for after, chance in _pay(stacks, bets, shown, self.game.odd_chip == "first-seat").items():
                    prizes = _prizes(self.game, stacks, after, shown)
                    if prizes is not None:
                        self.prizes[s, o] += float(chance) * np.array(prizes)
                    else:  # the button moves to the next seat: everybody sits one place earlier, the first one last
                        links.append((s, o, number[(*after[1:], after[0])], float(chance)))
        self.link_from = np.array([(s, o) for s, o, _, _ in links], dtype=np.int64).reshape(-1, 2)
        self.link_to = np.array([t for _, _, t, _ in links], dtype=np.int64)
        self.link_chance = np.array([c for *_, c in links])

    def _chances(self, seat: int, policy: FloatArray) -> FloatArray:
        """Return the probability of every outcome if ``seat`` plays a policy and the others the profile."""
        found = np.zeros((len(self.states), len(self.outcomes)))
        for o, (line, _) in enumerate(self.outcomes):
            decision = _decision(line, seat)
            weights = 1.0 if decision is None else policy[:, decision] if line[seat] else 1.0 - policy[:, decision]
            found[:, o] = (self.reach[seat][:, o] * weights).sum(axis=1)
        return found

    def evaluate(self, policies: Sequence[FloatArray]) -> FloatArray:
        """Return the value of every node, ``[state, seat]``: each seat deviating to its policy, the others not."""
        n = len(self.states)
        system = np.zeros((n * self.seats, n * self.seats))
        rewards = np.zeros(n * self.seats)
        s, o = self.link_from.T
        for seat, policy in enumerate(policies):
            chances = self._chances(seat, policy)
            rewards[seat :: self.seats] = (chances * self.prizes[:, :, seat]).sum(axis=1)
            later = (seat - 1) % self.seats
            np.add.at(
                system, (s * self.seats + seat, self.link_to * self.seats + later), self.link_chance * chances[s, o]
            )
        ends = _can_end(system)
        values = np.zeros(n * self.seats)
        inner = system[np.ix_(ends, ends)]
        values[ends] = np.linalg.solve(np.eye(len(inner)) - inner, rewards[ends])
        return values.reshape(n, self.seats)

    def improve(self, policies: Sequence[FloatArray], values: FloatArray) -> list[FloatArray] | None:
        """Return better policies; None if no hand gains anywhere."""
        worth = self.prizes.copy()
        s, o = self.link_from.T
        for seat in range(self.seats):
            ahead = self.link_chance * values[self.link_to, (seat - 1) % self.seats]
            np.add.at(worth[:, :, seat], (s, o), ahead)
        changed, better = False, []
        for seat, policy in enumerate(policies):
            new = policy.copy()
            for decision in range(policy.shape[1]):
                gain = np.zeros((len(self.states), policy.shape[2]))
                for k, (line, _) in enumerate(self.outcomes):
                    if _decision(line, seat) == decision:
                        sign = 1.0 if line[seat] else -1.0
                        gain += sign * self.reach[seat][:, k] * worth[:, k, seat, None]
                gain[self.forced[:, seat]] = 0.0
                switch = ((gain > _TIE) & (policy[:, decision] < 1)) | ((gain < -_TIE) & (policy[:, decision] > 0))
                new[:, decision][switch] = (gain > 0)[switch]
                changed |= bool(switch.any())
            better.append(new)
        return better if changed else None


def _can_end(system: FloatArray) -> IntArray:
    """List the nodes from which the game ends with positive probability; the others are worth nothing."""
    ends = system.sum(axis=1) < 1 - 1e-12
    links = system > 0
    while True:
        grown = ends | links[:, ends].any(axis=1)
        if (grown == ends).all():
            return np.flatnonzero(ends)
        ends = grown


def _outcomes(seats: int) -> list[tuple[tuple[int, ...], dict[int, int]]]:
    """List lines of play with the hands that are shown: seat to number of stronger hands."""
    found: list[tuple[tuple[int, ...], dict[int, int]]] = []
    for line in _LINES[seats]:
        live = [i for i, jam in enumerate(line) if jam] or [seats - 1]
        if len(live) == 1:
            found.append((line, {live[0]: 0}))
        elif len(live) == 2:
            found.extend((line, dict(zip(live, places, strict=True))) for places in ((0, 1), (1, 0), (0, 0)))
        else:
            found.extend((line, dict(enumerate(places))) for places in ORDERS)
    return found


def _decision(line: tuple[int, ...], seat: int) -> int | None:
    """Which of its decisions a seat takes in a line of play."""
    if seat == 0:
        return 0
    before = line[:seat]
    if seat == len(line) - 1 and not any(before):
        return None
    if len(line) == 2:
        return 0
    if seat == 1:
        return 0 if before == (1,) else 1
    return {(1, 0): 0, (0, 1): 1, (1, 1): 2}[(before[0], before[1])]


# -- how likely outcomes are to each hand ------------------------------------------------------------------------------


def _reach(orders: Deals, profile: Sequence[FloatArray]) -> list[FloatArray]:
    """Return ``[state, outcome, hand]`` per seat: hand and outcome, the seat's own choices left out."""
    scale = 1.0 / float(orders.sum(dtype=np.float64)) if orders.dtype.kind in "iu" else 1.0
    return _reach_two(orders * scale, profile) if len(profile) == 2 else _reach_three(orders, scale, profile)


def _reach_two(orders: FloatArray, profile: Sequence[FloatArray]) -> list[FloatArray]:
    jam, call = (p[:, 0] for p in profile)
    every = orders.sum(axis=0)
    first = np.stack(
        [np.broadcast_to(every.sum(axis=1), jam.shape), (1 - call) @ every.T, *(call @ orders[r].T for r in range(3))],
        1,
    )
    second = np.stack([(1 - jam) @ every, jam @ every, *(jam @ orders[r] for r in range(3))], 1)
    return [first, second]


def _reach_three(orders: Deals, scale: float, profile: Sequence[FloatArray]) -> list[FloatArray]:
    """Sum over the last seat's hands first, then over one of the others; the last seat itself by pairs."""
    hands, states = orders.shape[-1], len(profile[0])
    reach = [np.zeros((states, 25, hands)) for _ in range(3)]
    results = {p: [int(np.sign(o[p[1]] - o[p[0]])) for o in ORDERS] for p in ((0, 1), (0, 2), (1, 2))}
    at = {1: 0, -1: 1, 0: 2}
    for k in range(len(ORDERS)):
        table = np.asarray(orders[k], dtype=np.float64) * scale
        flat = table.reshape(hands * hands, hands)
        pair01, pair02, pair12 = (at[results[p][k]] for p in ((0, 1), (0, 2), (1, 2)))
        for begin in range(0, states, _CHUNK):
            part = slice(begin, begin + _CHUNK)
            A = profile[0][part, 0]
            B1, B0 = profile[1][part, 0], profile[1][part, 1]
            C10, C01, C11 = (profile[2][part, d] for d in range(3))
            size = len(A)

            def shown(weights: FloatArray, flat: FloatArray = flat, size: int = size) -> FloatArray:
                return np.asarray(weights @ flat.T).reshape(size, hands, hands)  # [state, button, small blind]

            everyone = table.sum(axis=2)
            called = (shown(C11), shown(C10), shown(C01))
            lines = {
                (1, 1, 1): (called[0], 12 + k),
                (1, 1, 0): (everyone - called[0], 9 + pair01),
                (1, 0, 1): (called[1], 6 + pair02),
                (1, 0, 0): (everyone - called[1], 2),
                (0, 1, 1): (called[2], 3 + pair12),
                (0, 1, 0): (everyone - called[2], 1),
                (0, 0, 0): (np.broadcast_to(everyone, (size, hands, hands)), 0),
            }
            for line, (pairs, outcome) in lines.items():
                small = (B1 if line[1] else 1 - B1) if line[0] else (B0 if line[1] else 1 - B0)
                button = A if line[0] else 1 - A
                reach[0][part, outcome] += (pairs @ small[:, :, None])[..., 0]
                reach[1][part, outcome] += (button[:, None] @ pairs)[:, 0]
            # The last seat's own reach: the button's hands summed out first, in or out, then the small blind's.
            after = [(x @ table.reshape(hands, -1)).reshape(size, hands, hands) for x in (A, 1 - A)]
            jj, jf = ((y[:, None] @ after[0])[:, 0] for y in (B1, 1 - B1))
            fj, ff = ((y[:, None] @ after[1])[:, 0] for y in (B0, 1 - B0))
            for outcomes, weight in (
                ((12 + k, 9 + pair01), jj),
                ((6 + pair02, 2), jf),
                ((3 + pair12, 1), fj),
                ((0,), ff),
            ):
                for outcome in outcomes:
                    reach[2][part, outcome] += weight
    return reach
