r"""Dilated prox functions of treeplexes and smoothed best responses (Hoda, Gilpin, Peña and Sandholm 2010).

A prox function of the simplex, entropy or Euclidean, is carried over to the treeplex by dilation,

.. math:: d(x) = \sum_h \beta_h \, x_{\sigma_h} \, \psi_h\!\left(\frac{x_h}{x_{\sigma_h}}\right), \qquad
   \psi_h(b) = \ln n_h + \sum_a b_a \ln b_a \quad\text{or}\quad \tfrac12 \lVert b \rVert^2 - \tfrac1{2 n_h}.

It is zero at the uniform strategy, positive elsewhere, and a smoothed best response
:math:`\arg\max_x \langle g, x\rangle - \mu d(x)` takes one backward pass: a softmax or a projection onto the simplex at
each information set.

**Weights and constants.** Let z be a direction with :math:`\sum_{a \in h} z_{ha} = z_{\sigma_h}` and
:math:`z_0 = 0`, and C(s) the information sets directly under sequence s.

*Entropy.* The second derivative of d along z telescopes to

.. math:: \sum_h \beta_h \Bigl( \sum_{a \in h} \frac{z_{ha}^2}{x_{ha}} - \frac{z_{\sigma_h}^2}{x_{\sigma_h}} \Bigr)
   = \sum_s \frac{z_s^2}{x_s} \Bigl( \beta_{h(s)} - \sum_{h' \in C(s)} \beta_{h'} \Bigr),

so :math:`\beta_h = 1 + \max_{s \in h} \sum_{h' \in C(s)} \beta_{h'}` makes it at least
:math:`\sum_s z_s^2 / x_s`, whose infimum over the treeplex is the square of a norm N. By Cauchy–Schwarz

.. math:: |z^\top A w|
   \le \sum_{s,t} |A_{st}| \frac{|z_s|}{\sqrt{x_s}} \sqrt{y_t} \cdot \frac{|w_t|}{\sqrt{y_t}} \sqrt{x_s}
   \le \sqrt{c_1 c_2} \, N(z) \, N(w), \quad
   c_1 = \max_s \max_y \, (|A| y)_s, \; c_2 = \max_t \max_x \, (|A|^\top x)_t,

so d is 1-strongly convex in a norm in which A has norm at most :math:`\sqrt{c_1 c_2}`.

*Euclidean.* Along z the second derivative is :math:`\sum_h (\beta_h / x_{\sigma_h}) \lVert z_h - b_h z_{\sigma_h}
\rVert^2 \ge \sum_h \beta_h \lVert z_h - b_h z_{\sigma_h} \rVert^2`, and
:math:`\lVert u - b t \rVert^2 \ge \tfrac12 \lVert u \rVert^2 - t^2` for :math:`\lVert b \rVert \le 1`. With
:math:`\alpha_h = 1 + \max_{s \in h} \sum_{h' \in C(s)} 2 \alpha_{h'}`, and :math:`\beta_h = 2 \alpha_h`
(:math:`\alpha_h` where :math:`\sigma_h` is the empty sequence, since there :math:`z_{\sigma_h} = 0`), the sum is at
least :math:`\lVert z \rVert_2^2`: d is 1-strongly convex in the Euclidean norm, in which A has its spectral norm.

The diameter :math:`\max_x d(x)` is attained at a pure plan and hence a best-response value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import FloatArray
from equiform.models.common.jit import jit
from equiform.models.payoffs.matrix import MatrixPayoff, Payoff
from equiform.models.payoffs.structured import BoundedPayoff
from equiform.models.sequence_form import SequenceForm
from equiform.models.treeplex import Treeplex
from equiform.solvers_iterative.kernels.rows import Shape, signed, treeplex_shape

KINDS = ("entropy", "euclidean")


@dataclass(frozen=True, eq=False)
class Prox:
    """A dilated prox function of one treeplex, 1-strongly convex, with its diameter."""

    kind: str
    shape: Shape = field(repr=False)
    beta: FloatArray = field(repr=False)
    diameter: float

    @staticmethod
    def of(treeplex: Treeplex, kind: str) -> Prox:
        """Compute weights and diameter."""
        require_name(kind, KINDS, "prox function")
        shape = treeplex_shape(treeplex)
        entropy = kind == "entropy"
        beta = _weights(shape, 1.0 if entropy else 2.0)
        if not entropy:
            beta *= np.where(treeplex.parent == 0, 1.0, 2.0)
        sizes = np.diff(treeplex.start)
        widest = np.log(sizes) if entropy else 0.5 * (1.0 - 1.0 / sizes)
        cost = np.bincount(treeplex.parent, weights=beta * widest, minlength=treeplex.num_sequences)
        return Prox(kind, shape, beta, treeplex.best_value(cost.astype(np.float64)))

    def respond(self, gradient: FloatArray, mu: float, plan: FloatArray) -> float:
        """Write the smoothed best response into ``plan``; return ``max <g, x> - mu d(x)``."""
        entropy = self.kind == "entropy"
        value: float = _respond(self.shape, self.beta, gradient, mu, entropy, plan)
        return value


def operator_norm(game: SequenceForm, kind: str) -> float | None:
    """Bound the norm of A for a kind of prox function; None if the operator does not report its magnitude."""
    payoff = game.payoff
    if isinstance(payoff, MatrixPayoff):
        size: Payoff = _AbsoluteMatrix(payoff)
    elif isinstance(payoff, BoundedPayoff):
        size = payoff.magnitude()
    else:
        return None
    if kind == "euclidean":
        return _spectral_bound(size)
    row_sums, col_sums = size.times(np.ones(payoff.shape[1])), size.transpose_times(np.ones(payoff.shape[0]))
    if isinstance(payoff, MatrixPayoff):
        # the largest entry times the largest 1-norm of a plan is another bound of max_y (|A| y)_s
        norms = [t.best_value(np.append(0.0, np.ones(t.num_sequences - 1))) for t in game.treeplexes]
        largest = abs(payoff.matrix)
        row_sums = np.minimum(row_sums, norms[1] * largest.max(axis=1).toarray().ravel())
        col_sums = np.minimum(col_sums, norms[0] * largest.max(axis=0).toarray().ravel())
    return math.sqrt(float(row_sums.max()) * float(col_sums.max()))


class _AbsoluteMatrix:
    """Return ``|A|`` of a written-out payoff."""

    def __init__(self, payoff: MatrixPayoff) -> None:
        self.shape = payoff.shape
        self._matrix, self._transpose = abs(payoff.matrix), abs(payoff.transpose)

    def times(self, y: FloatArray) -> FloatArray:
        return self._matrix @ y

    def transpose_times(self, x: FloatArray) -> FloatArray:
        return self._transpose @ x


def _spectral_bound(size: Payoff, *, rounds: int = 30) -> float:
    """Bound the spectral norm from above: Collatz and Wielandt's quotients of ``|A|ᵀ|A|`` along a power iteration."""
    vector = np.ones(size.shape[1])
    bound = math.inf
    for _ in range(rounds):
        image = size.transpose_times(size.times(vector))
        live = image > 0.0  # the other columns are zero
        if not live.any():
            return 0.0
        bound = min(bound, float((image[live] / vector[live]).max()))
        vector = image / image.max()
    return math.sqrt(bound)


@jit
def _weights(shape: Shape, load: float) -> FloatArray:
    """Return :math:`\\alpha_h = 1 + \\max_{s \\in h} \\sum_{h' \\in C(s)} \\text{load} \\cdot \\alpha_{h'}`."""
    alpha = np.empty(len(shape.parent))
    below = np.zeros(shape.start[-1])
    for h in range(len(shape.parent) - 1, -1, -1):
        heaviest = 0.0
        for s in range(shape.start[h], shape.start[h + 1]):
            heaviest = max(heaviest, below[s])
        alpha[h] = 1.0 + heaviest
        below[shape.parent[h]] += load * alpha[h]
    return alpha


@jit
def _respond(shape: Shape, beta: FloatArray, gradient: FloatArray, mu: float, entropy: bool, plan: FloatArray) -> float:
    value = gradient.copy()
    scratch = np.empty(np.max(shape.start[1:] - shape.start[:-1]) if len(shape.parent) else 1)
    for h in range(len(shape.parent) - 1, -1, -1):
        low, high = shape.start[h], shape.start[h + 1]
        weight = mu * beta[h]
        if entropy:
            worth = _softmax(value, plan, low, high, weight)
        else:
            worth = _project(value, plan, low, high, weight, scratch)
        value[shape.parent[h]] += worth
    plan[0] = 1.0
    for h in range(len(shape.parent)):
        reach = plan[shape.parent[h]]
        for s in range(shape.start[h], shape.start[h + 1]):
            plan[s] *= reach
    return value[0]


@jit
def _softmax(value: FloatArray, plan: FloatArray, low: int, high: int, weight: float) -> float:
    """Maximise ``<v, b> - w (ln n + sum b ln b)``; b goes to ``plan``."""
    top = value[low]
    for s in range(low, high):
        top = max(top, value[s])
    total = 0.0
    for s in range(low, high):
        plan[s] = math.exp((value[s] - top) / weight)
        total += plan[s]
    for s in range(low, high):
        plan[s] /= total
    return top + weight * (math.log(total) - math.log(float(high - low)))


@jit
def _project(value: FloatArray, plan: FloatArray, low: int, high: int, weight: float, scratch: FloatArray) -> float:
    """Maximise ``<v, b> - w/2 (|b|^2 - 1/n)``: b is the projection of v/w onto the simplex."""
    n = signed(high - low)
    for k in range(n):  # sorted insertion, largest first: information sets have few actions
        v, at = value[low + k], k
        while at > 0 and scratch[at - 1] < v:
            scratch[at] = scratch[at - 1]
            at -= 1
        scratch[at] = v
    total, level = 0.0, 0.0
    for k in range(n):
        total += scratch[k]
        candidate = (total - weight) / (k + 1)
        if scratch[k] > candidate:
            level = candidate
    worth, square = 0.0, 0.0
    for s in range(low, high):
        b = max(value[s] - level, 0.0) / weight
        plan[s] = b
        worth += b * value[s]
        square += b * b
    return worth - 0.5 * weight * (square - 1.0 / n)
