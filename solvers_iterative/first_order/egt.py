r"""The excessive gap technique (Nesterov 2005; Hoda, Gilpin, Peña and Sandholm 2010).

Let :math:`g_0(y) = Ay` and :math:`g_1(x) = -A^\top x` be the gradients, so that both players maximise, and

.. math:: f_p^{\mu}(g) = \max_z \; \langle g, z \rangle - \mu \, d_p(z)

the smoothed best-response value. The profile (x, y) satisfies the *excessive gap condition* if

.. math:: f_0^{\mu_0}(g_0(y)) + f_1^{\mu_1}(g_1(x)) \le 0,

and then its nash_conv is at most :math:`\mu_0 D_0 + \mu_1 D_1` with the diameters :math:`D_p = \max d_p`. A *shrink* of
:math:`\mu_p` keeps the condition: with q the other player and :math:`0 < \tau < 1`,

.. math::
   \check z_p &= \arg f_p^{\mu_p}(g_p), &
   \hat z_q &= \arg f_q^{\mu_q}\bigl(g_q((1-\tau) z_p + \tau \check z_p)\bigr), \\
   z_q^+ &= (1-\tau) z_q + \tau \hat z_q, &
   z_p^+ &= (1-\tau) z_p + \tau \arg f_p^{(1-\tau)\mu_p}\bigl(g_p(z_q^+)\bigr), \qquad \mu_p^+ = (1-\tau) \mu_p,

whenever :math:`\tau^2 / (1 - \tau) \le \mu_0 \mu_1 / L^2`, L the operator norm of A. Shrinking in turn with
:math:`\tau_k = 2/(k+3)` from :math:`\mu_0 = 2L\sqrt{D_1/D_0}`, :math:`\mu_1 = L\sqrt{D_0/D_1}` gives

.. math:: \text{nash\_conv} \le \frac{4 L \sqrt{D_0 D_1}}{k + 1} \qquad \text{after k iterations.}

Gradients of mixtures are mixtures of gradients, so an iteration costs three sparse products.

**Heuristics** (``aggressive``, on by default; Gilpin et al. 2007). Theory's :math:`\tau` is far too cautious. The
condition costs one pass to check, so larger steps are tried and halved when they break it; the player with the larger
:math:`\mu_p D_p` shrinks; and every few iterations (``balance_every``) slack in the condition is turned into smaller
:math:`\mu` without moving the profile. The bound :math:`\mu_0 D_0 + \mu_1 D_1` holds throughout.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.sequence_form import SequenceForm
from equiform.solvers_iterative.first_order.prox import Prox, operator_norm
from equiform.solvers_iterative.two_player import SequenceFormSolver

#: Rounding error that the excessive gap condition is allowed, relative to the smoothed values.
ROUNDING = 1e-14
#: After a step that kept the condition the next one is this much longer.
GROWTH = 1.15
LONGEST = 0.5
#: Smoothing below this share of theory's first one is rounding error: the profile is an equilibrium in floats.
FINEST = 1e-16


class EGT(SequenceFormSolver):
    """The excessive gap technique with dilated entropy or dilated Euclidean prox functions.

    Parameters
    ----------
    game
        A two-player zero-sum game.
    prox
        ``entropy`` or ``euclidean``.
    aggressive
        Take steps as long as the excessive gap condition allows, rather than those of the theory.
    balance_every
        How many iterations pass between attempts to lower the larger smoothing parameter.
    threads
        How many threads multiply by the payoff matrix.

    Raises
    ------
    ParameterError
        If an argument is out of range, or if the theory's steps are requested for a payoff operator that does not
        report its magnitude.
    """

    def __init__(
        self,
        game: SequenceForm,
        *,
        prox: str = "entropy",
        aggressive: bool = True,
        balance_every: int = 10,
        threads: int = 1,
    ) -> None:
        super().__init__("egt" if prox == "entropy" else f"egt-{prox}", game, threads=threads)
        if balance_every < 1:
            raise ParameterError("balancing needs a positive period", where=f"balance_every={balance_every}")
        self.prox = (Prox.of(game.treeplexes[0], prox), Prox.of(game.treeplexes[1], prox))
        self.aggressive, self.balance_every = aggressive, balance_every
        self.norm = operator_norm(game, prox)
        if self.norm is None and not aggressive:
            raise ParameterError(
                f"the payoff operator of {game.name} does not report its magnitude, which theory's steps need",
                where=type(game.payoff).__name__,
                fix="use aggressive=True, or add a magnitude() method to the operator",
            )
        d0, d1 = (max(p.diameter, 1e-300) for p in self.prox)
        scale = self.norm or 1.0
        self._first_mu = np.array([2.0 * scale * math.sqrt(d1 / d0), scale * math.sqrt(d0 / d1)])
        self._mu = self._first_mu.copy()
        self._tau = np.array([LONGEST])
        self._plans = tuple(t.realization(t.uniform()) for t in game.treeplexes)
        self._gradients = tuple(np.zeros(t.num_sequences) for t in game.treeplexes)

    @property
    def options(self) -> dict[str, Any]:
        """The prox function, the heuristics and the number of threads."""
        return {
            "prox": self.prox[0].kind,
            "aggressive": self.aggressive,
            "balance_every": self.balance_every,
            "threads": self.threads,
        }

    @property
    def bound(self) -> float:
        """What the excessive gap condition proves: nash_conv is at most this."""
        if self._iteration == 0:
            return math.inf
        return float(self._mu[0] * self.prox[0].diameter + self._mu[1] * self.prox[1].diameter)

    @property
    def average_plans(self) -> tuple[FloatArray, FloatArray]:
        """The profile that the condition speaks of."""
        return self._plans[0].copy(), self._plans[1].copy()

    @property
    def current_plans(self) -> tuple[FloatArray, FloatArray]:
        """The same: there is no separate last iterate."""
        return self.average_plans

    def _state(self) -> dict[str, NDArray[Any]]:
        vectors = {f"plan{p}": v for p, v in enumerate(self._plans)}
        return {
            **vectors,
            **{f"gradient{p}": v for p, v in enumerate(self._gradients)},
            "mu": self._mu,
            "tau": self._tau,
        }

    def _advance(self, count: int) -> None:
        if count == 0:  # compile on scratch
            for p in (0, 1):
                self._respond(p, self._gradient(p, self._plans[1 - p]), 1.0)
        for k in range(self._iteration, self._iteration + count):
            if k == 0:
                self._start()
            elif self.aggressive:
                self._bold_step(k)
            else:
                self._shrink((k - 1) % 2, 2.0 / (k + 2))

    # -- the parts ----------------------------------------------------------------------------------------------------

    def _respond(self, p: int, gradient: FloatArray, mu: float) -> tuple[FloatArray, float]:
        plan = np.empty(len(gradient))
        return plan, self.prox[p].respond(gradient, mu, plan)

    def _start(self) -> None:
        """Find a first profile with an excessive gap: theory's, or with the smallest smoothing that works."""
        self._mu[:] = self._first_mu
        holds = self._initial_profile()
        if not self.aggressive:
            return
        while not holds:  # only without a norm
            self._mu *= 2.0
            holds = self._initial_profile()
        while holds and not self._finest(0):
            self._mu *= 0.5
            holds = self._initial_profile()
        if not holds:
            self._mu *= 2.0
            self._initial_profile()

    def _finest(self, p: int) -> bool:
        return bool(self._mu[p] <= FINEST * self._first_mu[p])

    def _initial_profile(self) -> bool:
        center = self.game.treeplexes[0].realization(self.game.treeplexes[0].uniform())
        y, _ = self._respond(1, self._gradient(1, center), self._mu[1])
        g0 = self._gradient(0, y)
        x, f0 = self._respond(0, g0, self._mu[0])
        g1 = self._gradient(1, x)
        _, f1 = self._respond(1, g1, self._mu[1])
        for held, new in zip((*self._plans, *self._gradients), (x, y, g0, g1), strict=True):
            held[:] = new
        return _no_more_than_zero(f0, f1)

    def _safe_tau(self) -> float:
        """Return the largest step that theory allows: :math:`\\tau^2 / (1 - \\tau) = \\mu_0 \\mu_1 / L^2`."""
        if not self.norm:
            return 0.0
        ratio = float(self._mu[0] * self._mu[1]) / self.norm**2
        return (math.sqrt(ratio * ratio + 4.0 * ratio) - ratio) / 2.0

    def _bold_step(self, k: int) -> None:
        p = 0 if self._mu[0] * self.prox[0].diameter >= self._mu[1] * self.prox[1].diameter else 1
        if self._finest(p):
            return
        safe = self._safe_tau()
        tau = max(float(self._tau[0]), safe)
        while not self._shrink(p, tau, check=tau > safe):
            tau = max(0.5 * tau, safe)
            if tau < ROUNDING:  # the condition is met up to rounding error: nothing is left to gain
                break
        self._tau[0] = min(GROWTH * tau, LONGEST)
        if k % self.balance_every == 0:
            self._balance()

    def _shrink(self, p: int, tau: float, *, check: bool = False) -> bool:
        """Shrink :math:`\\mu_p`; with ``check``, change nothing and return False if the condition would break."""
        q = 1 - p
        keep = 1.0 - tau
        eager, _ = self._respond(p, self._gradients[p], self._mu[p])
        ahead = keep * self._gradients[q] + tau * self._gradient(q, eager)
        reply, _ = self._respond(q, ahead, self._mu[q])
        gradient_p = keep * self._gradients[p] + tau * self._gradient(p, reply)
        patient, f_p = self._respond(p, gradient_p, keep * self._mu[p])
        gradient_q = keep * self._gradients[q] + tau * self._gradient(q, patient)
        if check:
            _, f_q = self._respond(q, gradient_q, self._mu[q])
            if not _no_more_than_zero(f_p, f_q):
                return False
        self._plans[p][:] = keep * self._plans[p] + tau * patient
        self._plans[q][:] = keep * self._plans[q] + tau * reply
        self._gradients[p][:], self._gradients[q][:] = gradient_p, gradient_q
        self._mu[p] *= keep
        return True

    def _balance(self) -> None:
        """Turn slack into smaller smoothing, the larger share first; the profile stays."""
        values = [self._respond(p, self._gradients[p], self._mu[p])[1] for p in (0, 1)]
        shares = [self._mu[p] * self.prox[p].diameter for p in (0, 1)]
        for p in (0, 1) if shares[0] >= shares[1] else (1, 0):
            factor = 0.5
            while factor < 0.999 and not self._finest(p):
                _, f = self._respond(p, self._gradients[p], factor * self._mu[p])
                if _no_more_than_zero(f, values[1 - p]):
                    self._mu[p] *= factor
                    values[p] = f
                else:
                    factor = math.sqrt(factor)


def _no_more_than_zero(f0: float, f1: float) -> bool:
    """Check the excessive gap condition up to rounding error."""
    return f0 + f1 <= ROUNDING * (abs(f0) + abs(f1))
