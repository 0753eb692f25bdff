r"""Games by name: ``kuhn``, ``leduc:ranks=13``, ``openspiel:liars_dice``, ``some/file.efg``, ``my_game.py:MyGame``.

To add a game to equiform, write its rules (:class:`equiform.models.rules.Rules`) in a module of its own and add a
:class:`GameEntry` to :mod:`equiform.games.builtin`. From outside there are three ways: name your file and class
(``my_game.py:MyGame``), call :func:`register`, or offer an entry point of the group ``equiform.games``, which gives the
game to everybody who installs your package.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from equiform.games.builtin import BUILTIN
from equiform.games.entry import Game, GameEntry
from equiform.models.common.arguments import near_names
from equiform.models.common.errors import ParameterError, PluginError
from equiform.models.common.parameters import Parameter
from equiform.models.common.plugins import load_plugins

GROUP = "equiform.games"
"""The entry-point group: a :class:`GameEntry`, a class of rules without required arguments, or a finished game."""

GAMES: dict[str, GameEntry] = {entry.name: entry for entry in BUILTIN}
"""The games of this package and those added by :func:`register`; :func:`known_games` has the plug-ins as well."""

_IN_PYTHON = re.compile(r"(?P<path>.+\.py):(?P<name>\w+)")


def register(entry: GameEntry) -> GameEntry:
    """Add a game; its name must be new."""
    if entry.name in GAMES:
        raise ParameterError(f"there is already a game called {entry.name!r}", fix="choose another name")
    GAMES[entry.name] = entry
    return entry


def known_games() -> dict[str, GameEntry]:
    """Return all games by name: ours, registered ones, and those of installed plug-ins."""
    return {**GAMES, **load_plugins(GROUP, _plugin).found}


def broken_games() -> Mapping[str, PluginError]:
    """Return the plug-ins that cannot be loaded, with the reason of each."""
    return load_plugins(GROUP, _plugin).broken


def load_game(spec: str | Path) -> Game:
    """Load a game by its specification.

    Parameters
    ----------
    spec
        A registered name with parameters (``leduc:ranks=13``), the path of an ``.efg``, ``.nfg`` or ``.json`` file,
        ``openspiel:NAME(…)``, or a class or object in a Python file of yours (``my_game.py:MyGame``), which is then
        imported.

    >>> load_game("kuhn:cards=4").num_sequences(0)
    17
    """
    if isinstance(spec, Path):
        return _load_file(spec)
    if not isinstance(spec, str):
        raise ParameterError("a game is loaded by its name", where=repr(spec)[:100], fix="use a name such as 'kuhn'")
    spec = spec.strip()
    if spec.lower().endswith((".efg", ".nfg", ".json")):
        return _load_file(Path(spec))
    if in_python := _IN_PYTHON.fullmatch(spec):
        from equiform.games.formats.python_file import load_from_python

        return load_from_python(Path(in_python["path"]), in_python["name"])
    name, _, rest = spec.partition(":")
    if name == "openspiel":
        from equiform.games.formats.openspiel import load_openspiel

        return load_openspiel(rest)
    entry = find_entry(name)
    return entry.load(entry.parse(rest, spec))


def find_entry(name: str) -> GameEntry:
    """Find a game by its name without parameters, or say which names are near."""
    if name in GAMES:  # plug-ins are not even looked at for a game of ours
        return GAMES[name]
    known = known_games()
    entry = known.get(name) or next((other for other in known.values() if name in other.aliases), None)
    if entry is None:
        if name in broken_games():
            raise broken_games()[name]
        raise ParameterError(
            f"there is no game called {name!r}",
            where=f"game {name!r}",
            fix=f"{near_names(name, known)}`equiform games` lists the names; "
            "an .efg, .nfg or .json path, FILE.py:CLASS or openspiel:NAME also works",
        )
    return entry


def _plugin(name: str, offered: Any) -> GameEntry:
    """Read what an entry point refers to."""
    if isinstance(offered, GameEntry):
        entry = offered
    elif callable(offered):
        words = (offered.__doc__ or "").strip().splitlines()
        entry = GameEntry(name, words[0].rstrip(".") if words else f"the game {name}", offered)
    else:
        entry = GameEntry(name, f"the game {name}", lambda: offered)
    if entry.name != name:
        raise ParameterError(
            f"its entry is called {entry.name!r}", where=f"entry point {name!r}", fix="use one name for both"
        )
    if name in GAMES and GAMES[name] is not entry:
        raise ParameterError(f"there is already a game called {name!r}", fix="choose another name")
    return entry


def _load_file(path: Path) -> Game:
    kind = path.suffix.lower()
    if kind == ".efg":
        from equiform.games.formats.efg import read_efg

        return read_efg(path)
    if kind == ".nfg":
        from equiform.games.formats.nfg import read_nfg

        return read_nfg(path)
    if kind == ".json":
        from equiform.games.formats.json_game import read_json_game

        return read_json_game(path)
    raise ParameterError("this is not the path of a game", where=str(path), fix="pass an .efg, .nfg or .json file")


__all__ = [
    "GAMES",
    "GROUP",
    "Game",
    "GameEntry",
    "Parameter",
    "broken_games",
    "find_entry",
    "known_games",
    "load_game",
    "register",
]
