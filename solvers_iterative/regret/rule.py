r"""The weights that tell the members of the CFR family apart."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from equiform.models.common.arguments import near_names, require_name
from equiform.models.common.errors import ParameterError
from equiform.models.common.jit import jit
from equiform.solvers_iterative.options import require_kinds

#: Regrets that add up to less are rounding dust: dividing by their sum could overflow.
TINY = 1e-290


class Weights(NamedTuple):
    """A rule as the compiled loops see it."""

    alpha: float
    beta: float
    gamma: float
    delay: int
    alternating: bool
    predictive: bool


@dataclass(frozen=True)
class Rule:
    r"""How regrets and averages are weighted.

    After iteration t positive regrets are multiplied by :math:`t^\alpha/(t^\alpha+1)` and negative ones by
    :math:`t^\beta/(t^\beta+1)` (at infinity they are kept, at minus infinity dropped); iteration t has the weight
    :math:`(t - \text{delay})^\gamma` in the average.
    """

    alpha: float = math.inf
    beta: float = math.inf
    gamma: float = 0.0
    delay: int = 0
    alternating: bool = True
    predictive: bool = False

    def __post_init__(self) -> None:
        if math.isnan(self.alpha) or math.isnan(self.beta) or not 0 <= self.gamma < math.inf or self.delay < 0:
            raise ParameterError(
                "the weights of this CFR rule are out of range",
                where=str(self),
                fix="alpha and beta are numbers or infinite, gamma and delay at least 0",
            )
        if self.predictive and self.beta != -math.inf:
            raise ParameterError("prediction needs regrets without a negative part", where=str(self), fix="beta=-inf")

    @property
    def weights(self) -> Weights:
        """The rule for compiled loops."""
        return Weights(
            float(self.alpha), float(self.beta), float(self.gamma), int(self.delay), self.alternating, self.predictive
        )


RULES = {
    "cfr": Rule(),
    "cfr+": Rule(beta=-math.inf, gamma=1.0),
    "linear-cfr": Rule(alpha=1.0, beta=1.0, gamma=1.0),
    "dcfr": Rule(alpha=1.5, beta=0.0, gamma=2.0),
    "pcfr+": Rule(beta=-math.inf, gamma=2.0, predictive=True),
}


def rule(variant: str, **weights: Any) -> Rule:
    """Return a named rule with some weights changed.

    >>> rule("cfr+", delay=10).gamma
    1.0
    """
    require_name(variant, RULES, "CFR variant")
    known = [f.name for f in dataclasses.fields(Rule)]
    unknown = [name for name in weights if name not in known]
    if unknown:
        fix = f"{near_names(unknown[0], known)}its options are {', '.join(known)}"
        raise ParameterError(f"{variant} has no option {unknown[0]!r}", fix=fix)
    require_kinds(weights, dataclasses.asdict(RULES[variant]), variant)
    return dataclasses.replace(RULES[variant], **weights)


@jit
def discount(t: int, power: float) -> float:
    r"""Return :math:`t^p / (t^p + 1)`, with its limits at infinite p."""
    if power == math.inf:
        return 1.0
    if power == -math.inf:
        return 0.0
    scale = float(t) ** power
    return scale / (scale + 1.0) if scale < math.inf else 1.0


@jit
def average_weight(t: int, weights: Weights) -> float:
    """Return iteration t's weight in the average."""
    return 0.0 if t <= weights.delay else float(t - weights.delay) ** weights.gamma
