"""Is this profile an equilibrium?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from equiform.api.inputs import GameLike, as_game
from equiform.models.common.arguments import require_number
from equiform.models.common.html import EXPLORE, html_facts
from equiform.models.common.rational import short_text
from equiform.models.common.records import plain
from equiform.models.game import Game
from equiform.models.strategy import Strategy, read_profile
from equiform.validation.certificates.certificate import Certificate, certify
from equiform.validation.certificates.exact_evaluation import ExactEvaluation, exact_evaluate, exact_spread


@dataclass(frozen=True, eq=False)
class Verification:
    """What a profile is worth to each player, and how much each could gain."""

    game: Game = field(repr=False)
    profile: tuple[Strategy, ...] = field(repr=False)
    certificate: Certificate
    exact: ExactEvaluation | None
    """The same in rational arithmetic, if the profile is exact."""
    tolerance: float
    absolute: bool = False
    """Whether the tolerance is an amount, and not a share of the payoffs' spread."""
    file: str | None = None

    @property
    def equilibrium(self) -> bool:
        """Whether no player gains more than the tolerance; rational numbers decide where there are any."""
        if self.exact is None:
            return max(self.certificate.regrets) <= self.certificate.allowed(self.tolerance, absolute=self.absolute)
        unit = Fraction(1) if self.absolute else exact_spread(self.game)
        return max(self.exact.regrets) <= Fraction(self.tolerance) * unit

    def _repr_html_(self) -> str:
        found = self.exact or self.certificate
        facts = {
            "game": self.game.name,
            "equilibrium": "yes" if self.equilibrium else "no",
            "payoffs": ", ".join(short_text(p) for p in found.payoffs),
            "gains of best responses": ", ".join(short_text(r) for r in found.regrets),
        }
        return html_facts("Verified", facts, EXPLORE)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``equiform verify --json`` prints."""
        found, exact = self.certificate, self.exact
        document = {
            "game": self.game.name,
            "file": self.file,
            "payoffs": found.payoffs,
            "regrets": found.regrets,
            "nash_conv": found.nash_conv,
            "exploitability": found.exploitability,
            "bracket": found.bracket,
            "exact": None
            if exact is None
            else {
                "payoffs": exact.payoffs,
                "regrets": exact.regrets,
                "nash_conv": exact.nash_conv,
                "exploitability": exact.exploitability,
            },
            "spread": found.spread,
            "tolerance": self.tolerance,
            "absolute": self.absolute,
            "equilibrium": self.equilibrium,
        }
        answer: dict[str, Any] = plain(document)
        return answer


def verify(
    profile: str | Path | Sequence[Strategy], game: GameLike, *, tolerance: float = 1e-6, absolute: bool = False
) -> Verification:
    """Evaluate a profile on a game, in floats and, if it is exact, in rational numbers.

    Parameters
    ----------
    profile
        A strategy file, or one strategy per player.
    game
        Anything that :func:`as_game` takes.
    tolerance
        What a player may gain in something that is still called an equilibrium, as a share of the payoffs' spread.
    absolute
        Whether ``tolerance`` is an amount in the game's own payoffs instead.

    Raises
    ------
    ParameterError
        If the tolerance is negative or not finite.
    """
    tolerance = require_number(tolerance, "tolerance", "verify")
    loaded = as_game(game)
    from_file = isinstance(profile, str | Path)
    strategies = read_profile(profile, loaded.treeplexes) if isinstance(profile, str | Path) else tuple(profile)
    certificate = certify(loaded, strategies)
    exact = exact_evaluate(loaded, strategies) if all(s.is_exact for s in strategies) else None
    file = str(profile) if from_file else None
    return Verification(loaded, strategies, certificate, exact, tolerance, absolute, file)
