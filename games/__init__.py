"""Concrete rules, cards, random games, and readers and writers of foreign formats."""

from equiform.games.kuhn import Kuhn
from equiform.games.leduc import Leduc
from equiform.games.leduc_nl import LeducNoLimit
from equiform.games.registry import GAMES, Game, GameEntry, Parameter, load_game, register
from equiform.games.sequential import StagedGame

__all__ = [
    "GAMES",
    "Game",
    "GameEntry",
    "Kuhn",
    "Leduc",
    "LeducNoLimit",
    "Parameter",
    "StagedGame",
    "load_game",
    "register",
]
