"""Games written back to files that other tools, or we, can read."""

from __future__ import annotations

from pathlib import Path

from equiform.api.inputs import GameLike, as_game
from equiform.models.common.errors import ParameterError, UnsupportedGameError
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm

SUFFIXES = (".efg", ".nfg", ".json")


def export_game(game: GameLike, path: str | Path) -> Path:
    """Write a game as ``.efg`` or ``.nfg`` (Gambit's formats) or as ``.json`` (ours), with exact numbers.

    Parameters
    ----------
    game
        Anything that :func:`as_game` takes.
    path
        The file; its suffix says how.

    Raises
    ------
    UnsupportedGameError
        A tree does not fit into an ``.nfg`` file, nor a table into an ``.efg`` file, nor a payoff operator into any.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in SUFFIXES:
        raise ParameterError(
            f"cannot write a {kind or 'suffixless'} file", where=str(target), fix="use .efg, .nfg or .json"
        )
    loaded = as_game(game)
    if not isinstance(loaded, ExtensiveGame | NormalForm):
        raise UnsupportedGameError(
            f"{loaded.name} is neither a tree nor a table", where=type(loaded).__name__, fix="export the game's rules"
        )
    if kind == ".efg":
        from equiform.games.formats.efg import write_efg

        if isinstance(loaded, NormalForm):
            raise UnsupportedGameError(f"{loaded.name} is a table", where=str(target), fix="use .nfg or .json")
        write_efg(loaded, target)
    elif kind == ".nfg":
        from equiform.games.formats.nfg import write_nfg

        if isinstance(loaded, ExtensiveGame):
            raise UnsupportedGameError(f"{loaded.name} is a tree", where=str(target), fix="use .efg or .json")
        write_nfg(loaded, target)
    else:
        from equiform.games.formats.json_game import write_json_game

        write_json_game(loaded, target)
    return target
