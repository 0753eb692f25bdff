"""Arguments that several commands share, so that they have one name, one help text and one check."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import typer

from equiform.models.common.errors import ParameterError
from equiform.models.common.rational import parse_fraction


def _games(incomplete: str) -> list[str]:
    from equiform.games.registry import known_games

    return [name for name in known_games() if name.startswith(incomplete)]


def _backends(incomplete: str) -> list[str]:
    from equiform.formulations.optimization.backends import available

    return [name for name in available() if name.startswith(incomplete)]


GAME = typer.Argument(
    autocompletion=_games,
    metavar="GAME",
    help="A name (kuhn, one-card:cards=500, …), an .efg, .nfg or .json path, FILE.py:CLASS, or openspiel:NAME.",
)
BACKEND = typer.Option("highs", autocompletion=_backends, help="Which solver; see `equiform backends`.")
TIME_LIMIT = typer.Option(0.0, help="Seconds for the solver; 0 means no limit.")
SOLVER_OPTION = typer.Option([], help="A solver option as name=value; may be repeated.")
BREAKPOINTS = typer.Option(9, help="Breakpoints per curve, for games of three players or more.")
SET = typer.Option([], "--set", help="A parameter of the program as name=value; may be repeated.")
OUT = typer.Option(None, help="Write the strategies to this JSON file.")
ALL = typer.Option(False, "--all", help="Show every information set.")
JSON = typer.Option(False, "--json", help="Print JSON instead of text.")
#: Rows of a strategy that are shown without ``--all``.
SHOWN = 40


def shown(everything: bool) -> int:
    """Return how many information sets to show."""
    return 10**9 if everything else SHOWN


def seat(player: int) -> int:
    """Turn ``--player``, 1 or 2, into the number that the library counts from zero."""
    if player not in (1, 2):
        raise ParameterError(f"there is no player {player}", where="--player", fix="use 1 or 2")
    return player - 1


def parse_epsilon(text: str) -> Fraction | None:
    """Read an epsilon such as ``1e-3`` or ``1/1000``; nothing for an empty text."""
    if not text:
        return None
    try:
        return parse_fraction(text)
    except ValueError:
        raise ParameterError(f"{text!r} is not a number", where="--epsilon", fix="e.g. 1e-3 or 1/1000") from None


def parse_settings(pairs: list[str]) -> dict[str, str]:
    """Read the program's own parameters as ``name=value`` pairs; the program knows their types."""
    from equiform.models.common.parameters import split_pairs

    return split_pairs(pairs, where="--set", fix="e.g. --set epsilon=1/1000")


def parse_options(pairs: list[str]) -> dict[str, Any]:
    """Read ``name=value`` pairs; values are JSON scalars or else plain words."""
    options: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name:
            raise ParameterError(f"{pair!r} is not name=value", where="--option", fix="e.g. --option presolve=off")
        try:
            options[name] = json.loads(text)
        except json.JSONDecodeError:
            options[name] = text
    return options
