r"""Agents that exploit an opponent model, safely or not: Algorithms 22 to 27 of Ganzfried (2015), chapter 13.

All keep the amount :math:`k_t` that they can be sure to have been given so far and choose from
:math:`\mathrm{SAFE}(\varepsilon)`, the plans whose guarantee is within ε of the value v. With the model's plan M:

====================  ================================================================================================
``equilibrium``       one equilibrium strategy throughout
``best-equilibrium``  the best response to M in SAFE(0) (§13.4.3)
``rwyw``              in SAFE(max(k, 0)), where k counts what was *won* (Algorithm 22; not safe, Proposition 24)
``rwywe``             in SAFE(k), where k counts what was won in expectation over our own moves (Algorithms 23, 26, 27)
``sps``               as ``rwywe`` with k raised by β/t each round (safe policy selection; safe in the limit only)
``befewp``            the full best response if its exploitability is at most k, else best equilibrium (Algorithm 25)
``beffe``             the same if k pays for its exploitability in all rounds that are left (Algorithm 24)
``beffe-printed``     the same by the test as printed, read in the one way that it is not always passed (not safe)
``best-response``     the full best response to M, whatever it risks
====================  ================================================================================================

After each hand :math:`k_{t+1} = k_t + u(\pi^t, \tau^t) - v` with the nemesis τ who did what was seen and is hostile
elsewhere (:mod:`equiform.play.opponents.nemesis`). Algorithm 24 as printed compares k with :math:`(T - t + 1)(v -
\varepsilon)` after it has defined ε as an exploitability; safety and the text need :math:`(T - t + 1)\,\varepsilon`,
which is used here. The printed test can be failed only if ε is a loss counted as negative, :math:`\min u(\pi, \cdot) -
v`; a round then costs v more than its exploitability, which is less where v is negative. That is ``beffe-printed``,
kept to see whether the thesis played it (:mod:`equiform.validation.reproduce.exploitation.table_13_1`).

Under the prior the model *is* an equilibrium strategy, to which many plans respond equally well, and what is played
first decides what is learned first. Ties are therefore broken on purpose (:data:`equiform.play.agents.ties.TIES`): by
default for the moves that are listed last (bet over check, call over fold), which show more of the opponent, or for the
response that guarantees the most.

One agent object plays many matches side by side, one row each, so that its programs are solved in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from equiform.formulations.opponents.safe_responder import SafeResponder
from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import ParameterError
from equiform.play.agents.frequency_model import FrequencyModel
from equiform.play.agents.observations import Observations
from equiform.play.agents.ties import CAUTION, tie_bonus
from equiform.play.batches import best_behaviors, realizations
from equiform.play.interim import stored_array
from equiform.play.opponents.nemesis import Nemesis, nemesis
from equiform.play.seat import Seat


@dataclass(frozen=True, eq=False)
class Round:
    """One hand of every match: what was played and what came of it."""

    number: int
    plans: FloatArray = field(repr=False)
    leaves: IntArray = field(repr=False)
    payoffs: FloatArray = field(repr=False)


class Agent(Protocol):
    """Plays many matches at once."""

    def choose(self, number: int) -> FloatArray:
        """Return the realization plans for hand ``number`` (from 0), one row per match."""

    def learn(self, played: Round) -> None:
        """Take in a hand of every match."""

    @property
    def gifts(self) -> FloatArray:
        """What each match has surely been given so far, k; NaN if the agent does not count it."""

    def state(self) -> dict[str, Any]:
        """Return, as arrays and plain data, all that further play depends on, and forget everything else."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state that an agent of the same kind and setting returned."""


class Models(Protocol):
    """Models of the opponents in many matches, one row each."""

    def plans(self) -> FloatArray:
        """Return the models as realization plans."""

    def update(self, leaves: IntArray) -> None:
        """Take in one hand of every match by its terminal node."""

    def state(self) -> dict[str, Any]:
        """Return all that further models depend on; see :meth:`Agent.state`."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a state."""


@dataclass(frozen=True)
class Setting:
    """What an agent knows before its matches begin.

    Parameters
    ----------
    seat
        The agent's place at the game.
    observations
        What the agent sees of each hand.
    matches
        How many matches are played side by side.
    hands
        How many hands a match has.
    ties
        How ties between equally good responses are broken (:data:`equiform.play.agents.ties.TIES`).
    whole_prior
        Whether the hands of the model's prior are rounded down to whole numbers, under which fewer responses tie.
    """

    seat: Seat
    observations: Observations
    matches: int
    hands: int
    ties: str = "last"
    whole_prior: bool = False


class EquilibriumAgent:
    """Plays one equilibrium strategy whatever happens."""

    def __init__(self, setting: Setting) -> None:
        seat = setting.seat
        self._plans = np.tile(seat.own.realization(seat.equilibrium[0]), (setting.matches, 1))
        self.gifts = np.full(setting.matches, np.nan)

    def choose(self, number: int) -> FloatArray:
        """Return the same plans again."""
        return self._plans

    def learn(self, played: Round) -> None:
        """Learn nothing."""

    def state(self) -> dict[str, Any]:
        """Return nothing: every hand is played alike."""
        return {}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore nothing."""


class Exploiter:
    """An agent that weighs its model of the opponent against what it may lose."""

    def __init__(
        self,
        setting: Setting,
        rule: str,
        *,
        prior_hands: float = 5.0,
        beta: float = 0.1,
        model: Models | None = None,
    ) -> None:
        """Seat the agent.

        Parameters
        ----------
        setting
            The game, what is seen of it, and the length of the matches.
        rule
            A name in :data:`RULES`.
        prior_hands
            How many fictitious hands of equilibrium play the model begins with.
        beta
            The allowance of ``sps``, which grows by β/t in round t.
        model
            Models of the opponents; frequencies are counted by default.

        Raises
        ------
        ParameterError
            If there is no such rule, or if ``beta`` is not positive.
        """
        require_name(rule, RULES, "rule", "agent")
        if not beta > 0:
            raise ParameterError(f"beta is {beta}", where="sps", fix="use a positive number")
        self._setting, self._rule = setting, rule
        self._beta = beta if rule == "sps" else 0.0
        seat = setting.seat
        self._cautious = setting.ties == "cautious"
        self._responder = SafeResponder(seat.form, caution=CAUTION if self._cautious else 0.0)
        self._model: Models = model or FrequencyModel(
            seat.opponent,
            seat.equilibrium[1],
            setting.observations,
            setting.matches,
            prior_hands=prior_hands,
            whole=setting.whole_prior,
        )
        self.gifts = np.full(setting.matches, self._beta)
        self._bonus = tie_bonus(seat.own, setting.ties)

    def choose(self, number: int) -> FloatArray:
        """Respond to the models as the rule allows."""
        gradients = self._setting.seat.gradients(self._model.plans()) + self._bonus
        return RULES[self._rule](self, gradients, number)

    def learn(self, played: Round) -> None:
        """Update the models and k."""
        seat = self._setting.seat
        if self._rule == "rwyw":
            won = played.payoffs
        else:
            found = nemesis(seat, played.plans)
            won = found.guarantees + self._setting.observations.least(found.losses, played.leaves)
        self.gifts = self.gifts + won - seat.value
        if self._beta:
            self.gifts = self.gifts + self._beta / (played.number + 2)
        self._model.update(played.leaves)

    def state(self) -> dict[str, Any]:
        """Return k and the models, and let the solver forget its last basis."""
        self._responder.forget()
        return {"gifts": self.gifts, **self._model.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from k and the models."""
        self.gifts = stored_array(state, "gifts", self.gifts)
        self._model.restore(state)

    # -- the choices that the rules are made of -----------------------------------------------------------------------

    def safe(self, gradients: FloatArray, epsilons: FloatArray) -> FloatArray:
        """Return the best plans of SAFE(ε)."""
        return self._responder.maximize_many(gradients, np.maximum(epsilons, 0.0)).plans

    def full(self, gradients: FloatArray) -> FloatArray:
        """Return the full best responses."""
        seat = self._setting.seat
        if self._cautious:
            return self.safe(gradients, np.full(len(gradients), np.ptp(seat.tree.payoff)))  # no plan risks more
        own = seat.own
        return realizations(own, best_behaviors(own, gradients))

    def full_if(self, gradients: FloatArray, rounds: float, extra: float = 0.0) -> FloatArray:
        """Return the full best response where k pays for that many rounds of it, else the best equilibrium.

        A round costs its exploitability and ``extra``.
        """
        seat = self._setting.seat
        plans = self.full(gradients)
        found: Nemesis = nemesis(seat, plans)
        dear = np.flatnonzero(self.gifts < rounds * (seat.value - found.guarantees + extra))
        plans[dear] = self.safe(gradients[dear], np.zeros(len(dear)))
        return plans

    def hands_left(self, number: int) -> int:
        """Count the hands from ``number`` on."""
        return self._setting.hands - number

    @property
    def value(self) -> float:
        """What the game is worth."""
        return self._setting.seat.value


Rule = Callable[[Exploiter, FloatArray, int], FloatArray]

RULES: dict[str, Rule] = {
    "best-equilibrium": lambda agent, gradients, _: agent.safe(gradients, np.zeros(len(gradients))),
    "rwyw": lambda agent, gradients, _: agent.safe(gradients, agent.gifts),
    "rwywe": lambda agent, gradients, _: agent.safe(gradients, agent.gifts),
    "sps": lambda agent, gradients, _: agent.safe(gradients, agent.gifts),
    "befewp": lambda agent, gradients, _: agent.full_if(gradients, 1),
    "beffe": lambda agent, gradients, number: agent.full_if(gradients, agent.hands_left(number)),
    "beffe-printed": lambda agent, gradients, number: agent.full_if(gradients, agent.hands_left(number), agent.value),
    "best-response": lambda agent, gradients, _: agent.full(gradients),
}
#: Rules that never fall below the value in expectation.
SAFE_RULES = ("best-equilibrium", "rwywe", "befewp", "beffe")
