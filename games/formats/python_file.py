"""A game from a Python file of the user's own, ``my_game.py:MyGame``: imported because its user asked for it."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from equiform.games.entry import Game, GameEntry, finished
from equiform.models.common.errors import EquiformError, GameError, ParameterError


def load_from_python(path: Path, name: str) -> Game:
    """Import a file and make a game of the class, function or object of that name in it.

    Parameters
    ----------
    path
        The file. It is run as any imported module is, and nothing else is imported on its behalf.
    name
        A class of rules (called without arguments), a rules object, a finished game, or a
        :class:`~equiform.games.entry.GameEntry`.
    """
    offered = _attribute(path, name)
    where = f"{path}:{name}"
    try:
        if isinstance(offered, GameEntry):
            return offered.load(offered.parse("", where))
        game = finished(offered() if isinstance(offered, type) or _is_function(offered) else offered)
    except EquiformError:
        raise
    except Exception as error:
        raise GameError(
            f"the game cannot be built: {type(error).__name__}: {error}",
            where=where,
            fix="a class of rules is called without arguments; check its methods",
        ) from error
    return replace(game, name=game.name or name)


def _is_function(offered: Any) -> bool:
    return callable(offered) and not hasattr(offered, "initial")


def _attribute(path: Path, name: str) -> Any:
    if not path.is_file():
        raise ParameterError("there is no such file", where=str(path), fix="pass FILE.py:NAME")
    module_name = f"equiform_user_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ParameterError("this file cannot be imported", where=str(path), fix="name a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise GameError(
            f"the file cannot be imported: {type(error).__name__}: {error}", where=str(path), fix="run it with Python"
        ) from error
    if not hasattr(module, name):
        raise ParameterError(f"the file has no {name!r}", where=str(path), fix="name a class or object in it")
    return getattr(module, name)
