"""Every program by name: what it asks, what it takes, where it is built and solved, and how its answer is proved.

An entry is data: modules are named by dotted paths and imported when they are used, so that listing the programs costs
nothing. From this one list follow ``equiform.solve(concept=…)``, ``equiform solve --concept``, ``equiform model
--formulation``, the documentation's table of programs and the test that solves every program on every backend. Another
package adds its own through the entry-point group ``equiform.formulations``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any

from equiform.formulations.optimization.options import DEFAULT, SolverOptions
from equiform.models.common.arguments import near_names
from equiform.models.common.errors import ParameterError, PluginError
from equiform.models.common.parameters import Parameter, offer, read_values
from equiform.models.common.plugins import load_plugins
from equiform.models.common.rational import as_fraction, parse_fraction

GROUP = "equiform.formulations"
"""The entry-point group; each entry point refers to a :class:`Formulation`."""


@dataclass(frozen=True)
class Formulation:
    """One mathematical program.

    Parameters
    ----------
    name, title
        What it is called on the command line, and the question that it answers.
    build, solve
        Where they are, as ``module:function``. ``build(game, **parameters)`` returns the Pyomo model,
        ``solve(game, **parameters, solver=SolverOptions(…))`` a result with ``to_dict()``.
    takes
        What is passed as ``game``: one of :data:`INPUTS`.
    parameters
        What else it takes. Players count from 0 in Python and from 1 in text.
    answers
        Further arguments of ``solve`` that say how the answer is written; ``build`` does not take them.
    concept
        Whether ``solve`` finds a profile of both players, so that ``equiform.solve(concept=…)`` offers it.
    equilibrium
        Whether that profile is an equilibrium of the game itself: then it is refused unless its certificate says so.
    exact
        Where the same concept is solved in rational numbers, if anywhere.
    certificate
        How an answer is proved, in words.
    page
        Its page in the documentation, without suffix.
    example
        A specification to build it on: for the tests, and for people.
    """

    name: str
    title: str
    build: str
    solve: str
    takes: str = "zero-sum game"
    parameters: tuple[Parameter, ...] = ()
    answers: tuple[Parameter, ...] = ()
    concept: bool = False
    equilibrium: bool = False
    exact: str = ""
    certificate: str = ""
    page: str = ""
    example: str = "kuhn"

    def build_model(self, game: Any, **parameters: Any) -> Any:
        """Build the Pyomo model."""
        asked = {p.name for p in self.parameters}
        values = self.complete(parameters)
        return resolve(self.build)(game, **{key: value for key, value in values.items() if key in asked})

    def find(self, game: Any, solver: SolverOptions = DEFAULT, **parameters: Any) -> Any:
        """Build and solve."""
        return resolve(self.solve)(game, **self.complete(parameters), solver=solver)

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Check parameters by name, as Python calls pass them, and fill in the defaults."""
        values: dict[str, Any] = {}
        known = {p.name: p for p in (*self.parameters, *self.answers)}
        for key in given:
            if key not in known:
                raise ParameterError(
                    f"{self.name} takes no {key}",
                    where=key,
                    fix=f"leave it out: {offer(self.name, tuple(known.values()))}",
                )
        for p in known.values():
            if given.get(p.name) is not None:
                values[p.name] = _number(p, given[p.name])
            elif p.required:
                article = "an" if p.name[0] in "aeiou" else "a"
                raise ParameterError(f"{self.name} needs {article} {p.name}", where=p.name, fix=f"pass {p.help}")
            else:
                values[p.name] = p.default - 1 if p.name == "player" and isinstance(p.default, int) else p.default
        return values

    def read(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Read parameters as they stand on the command line, where players are 1 and 2."""
        values: dict[str, Any] = dict(
            read_values(self.name, (*self.parameters, *self.answers), texts, f"formulation {self.name!r}")
        )
        values = {key: value for key, value in values.items() if key in texts}
        if "player" in values:
            values["player"] -= 1
        return values

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain data."""
        return {
            "name": self.name,
            "title": self.title,
            "takes": self.takes,
            "parameters": [p.to_dict() for p in self.parameters],
            "answers": [p.to_dict() for p in self.answers],
            "concept": self.concept,
            "exact": bool(self.exact),
            "certificate": self.certificate,
            "page": self.page,
            "example": self.example,
        }


INPUTS = (
    "zero-sum game",
    "matrix game",
    "game",
    "game tree",
    "signal game",
    "betting game",
    "stochastic game",
    "error table",
)
"""What a program may take: a two-player zero-sum game, one in normal form, any game, one given as a tree, a game of
signals with its models, a no-limit game with a bet abstraction, a stochastic game, or a table of errors."""


def resolve(dotted: str) -> Callable[..., Any]:
    """Import ``module:function``."""
    module, _, name = dotted.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


def formulations() -> dict[str, Formulation]:
    """Return all programs by name: ours, and those of installed plug-ins."""
    from equiform.formulations.catalogue import CATALOGUE

    return {**{f.name: f for f in CATALOGUE}, **load_plugins(GROUP, _plugin).found}


def broken_formulations() -> Mapping[str, PluginError]:
    """Return the plug-ins that cannot be loaded, with the reason of each."""
    return load_plugins(GROUP, _plugin).broken


def find_formulation(name: str, *, concept: bool = False) -> Formulation:
    """Find a program by its name, or say which names there are; ``concept`` looks among the solution concepts only."""
    from equiform.formulations.catalogue import CATALOGUE

    what = "solution concept" if concept else "formulation"
    if isinstance(name, str):
        ours = next((f for f in CATALOGUE if f.name == name), None)
        entry = ours or formulations().get(name)
        if entry is not None and (entry.concept or not concept):
            return entry
        if entry is None and name in broken_formulations():
            raise broken_formulations()[name]
    names = [f.name for f in formulations().values() if f.concept or not concept]
    guess = near_names(name, names)
    raise ParameterError(f"there is no {what} {name!r}", where=what, fix=f"{guess}use one of {', '.join(names)}")


def _plugin(name: str, offered: Any) -> Formulation:
    from equiform.formulations.catalogue import CATALOGUE

    if not isinstance(offered, Formulation):
        raise ParameterError(f"it is a {type(offered).__name__}", fix="refer to an equiform Formulation")
    if offered.name != name:
        raise ParameterError(f"its formulation is called {offered.name!r}", fix="use one name for both")
    if any(f.name == name for f in CATALOGUE):
        raise ParameterError(f"there is already a formulation called {name!r}", fix="choose another name")
    return offered


def _number(parameter: Parameter, value: Any) -> Any:
    """Make a fraction of a number where one is wanted; a float stands for the decimal that it is written as."""
    if not isinstance(parameter.default, Fraction):
        return value
    if isinstance(value, Rational) and not isinstance(value, bool):
        return as_fraction(value)
    try:
        return parse_fraction(str(value))
    except ValueError:
        raise ParameterError(f"{value!r} is not a number", where=parameter.name, fix=f"pass {parameter.help}") from None
