"""Every error equiform raises on purpose: what is wrong, where, and what to do about it."""

from __future__ import annotations

from typing import Any


class EquiformError(Exception):
    """Base of all our errors. ``what`` went wrong, ``where`` (the offending value or place), and the ``fix``."""

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what = what
        self.where = where
        self.fix = fix
        parts = [what if what.endswith((".", "!", "?")) else what + "."]
        if where:
            parts.append(f"Where: {where}.")
        if fix:
            parts.append(f"Fix: {fix}.")
        super().__init__(" ".join(parts))


class ParameterError(EquiformError, ValueError):
    """An argument is outside its domain, or a name is not known."""


class PluginError(EquiformError):
    """A game or program that another package offers cannot be loaded."""


# -- games -------------------------------------------------------------------------------------------------------------


class GameError(EquiformError):
    """The rules do not describe a game."""


class ChanceError(GameError):
    """Chance probabilities are negative or do not sum to one."""


class EmptyNodeError(GameError):
    """A node that is not terminal has no actions."""


class ActionMismatchError(GameError):
    """Two nodes of one information set offer different actions, or belong to different players."""


class ImperfectRecallError(GameError):
    """A player forgets something they knew or did."""


class PayoffError(GameError):
    """A terminal node's payoffs are missing or not finite numbers."""


class UnsupportedGameError(EquiformError):
    """A sound game of a class that this program cannot take (players, sum, recall)."""


class StrategyError(EquiformError):
    """A strategy does not fit its game or is not a distribution."""


class FormatError(EquiformError):
    """A file does not follow its format; ``where`` names file, line and column."""


class OutOfMemoryError(EquiformError, MemoryError):
    """The machine's memory ran out."""


class RunError(EquiformError):
    """A long run ended before its result was there; what it had stored is kept."""


# -- programs ----------------------------------------------------------------------------------------------------------


class SolveError(EquiformError):
    """A program was not solved to the requested quality."""


class InfeasibleError(SolveError):
    """No point satisfies the constraints."""


class UnboundedError(SolveError):
    """The objective improves without limit."""


class LimitError(SolveError):
    """A time, iteration or memory limit stopped the solver.

    ``solution`` is what the last program had reached, with its incumbent and bound; ``plans`` are
    realization plans read from it, one per player and perhaps infeasible, where a program reads them.
    """

    solution: Any = None
    plans: tuple[Any, Any] = (None, None)


class BackendMissingError(EquiformError):
    """The requested solver is not installed."""


class CapabilityError(EquiformError):
    """The backend cannot handle this kind of program; the message names those that could."""


class ModelError(EquiformError):
    """A Pyomo model holds something that the compiler cannot express (a nonlinear row, say)."""


class ExactError(EquiformError):
    """No exact rational certificate was found."""


class CertificateError(EquiformError):
    """An answer failed its independent check."""
