"""How far to go: exploitability in percent of the pot, the gap as a share of it, iterations, seconds."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from equiform.models.common.errors import ParameterError
from equiform.solvers_iterative.progress import Until


@dataclass(frozen=True)
class Accuracy:
    """When to stop.

    Attributes
    ----------
    percent
        Exploitability in percent of the pot.
    gap
        The sum of both players' gains as a share of the pot.
    iterations, seconds
        Limits; a program of ``lp`` counts as an iteration.
    """

    percent: float | None = 0.1
    gap: float | None = None
    iterations: int | None = None
    seconds: float | None = None

    @staticmethod
    def parse(text: str) -> Accuracy:
        """Read ``0.1%``, ``gap=1e-6``, ``iterations=500``, ``seconds=20``, or several separated by commas.

        >>> Accuracy.parse("0.5%,seconds=10")
        Accuracy(percent=0.5, gap=None, iterations=None, seconds=10.0)
        """
        found: dict[str, float] = {}
        for part in filter(None, (piece.strip() for piece in str(text).split(","))):
            match = re.fullmatch(r"(?:(percent|gap|iterations|seconds)\s*=\s*)?([0-9.eE+-]+)\s*(%?)", part)
            name = None if match is None else match[1] or ("percent" if match[3] else None)
            try:
                if match is None or name is None or name in found:
                    raise ValueError
                found[name] = float(match[2])
                if not 0 <= found[name] < math.inf or (name == "iterations" and found[name] != int(found[name])):
                    raise ValueError
            except ValueError:
                raise ParameterError(
                    f"cannot read {part!r}",
                    where=f"until {text!r}",
                    fix="e.g. 0.1%, gap=1e-6, iterations=500, seconds=20",
                ) from None
        if not found:
            raise ParameterError("a run needs an end", where="until", fix="e.g. 0.1%")
        whole = int(found["iterations"]) if "iterations" in found else None
        return Accuracy(found.get("percent"), found.get("gap"), whole, found.get("seconds"))

    def until(self, pot: float) -> Until:
        """Return the limits in chips."""
        gaps = [2 * self.percent / 100 * pot] if self.percent is not None else []
        gaps += [self.gap * pot] if self.gap is not None else []
        return Until(min(gaps) if gaps else None, self.iterations, self.seconds)
