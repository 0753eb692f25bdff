"""Concrete rules, cards, random games, and readers and writers of foreign formats."""

from typing import TYPE_CHECKING

from equiform.models.common.lazy import lazy

if TYPE_CHECKING:
    from equiform.games.formats.efg import format_efg, parse_efg, read_efg, write_efg
    from equiform.games.formats.nfg import format_nfg, parse_nfg, read_nfg, write_nfg
    from equiform.games.formats.openspiel import load_openspiel, openspiel_game
    from equiform.games.formats.openspiel_policies import from_openspiel_policy, to_openspiel_policy
    from equiform.games.goofspiel import Goofspiel
    from equiform.games.liars_dice import LiarsDice
    from equiform.games.poker.clairvoyance import Clairvoyance
    from equiform.games.poker.kuhn import Kuhn
    from equiform.games.poker.kuhn_multiplayer import KuhnMultiplayer
    from equiform.games.poker.kuhn_nl import KuhnNoLimit
    from equiform.games.poker.leduc import Leduc
    from equiform.games.poker.leduc_nl import LeducNoLimit
    from equiform.games.random_game import random_game
    from equiform.games.recall import with_perfect_recall
    from equiform.games.registry import GAMES, Game, GameEntry, Parameter, load_game, register
    from equiform.games.sequential import StagedGame
    from equiform.games.tree import ExplicitTree, TreeNode

__all__ = [
    "GAMES",
    "Clairvoyance",
    "ExplicitTree",
    "Game",
    "GameEntry",
    "Goofspiel",
    "Kuhn",
    "KuhnMultiplayer",
    "KuhnNoLimit",
    "Leduc",
    "LeducNoLimit",
    "LiarsDice",
    "Parameter",
    "StagedGame",
    "TreeNode",
    "format_efg",
    "format_nfg",
    "from_openspiel_policy",
    "load_game",
    "load_openspiel",
    "openspiel_game",
    "parse_efg",
    "parse_nfg",
    "random_game",
    "read_efg",
    "read_nfg",
    "register",
    "to_openspiel_policy",
    "with_perfect_recall",
    "write_efg",
    "write_nfg",
]

__getattr__ = lazy(
    __name__,
    {
        "Clairvoyance": "equiform.games.poker.clairvoyance",
        "ExplicitTree": "equiform.games.tree",
        "GAMES": "equiform.games.registry",
        "Game": "equiform.games.registry",
        "GameEntry": "equiform.games.registry",
        "Goofspiel": "equiform.games.goofspiel",
        "Kuhn": "equiform.games.poker.kuhn",
        "KuhnMultiplayer": "equiform.games.poker.kuhn_multiplayer",
        "KuhnNoLimit": "equiform.games.poker.kuhn_nl",
        "Leduc": "equiform.games.poker.leduc",
        "LeducNoLimit": "equiform.games.poker.leduc_nl",
        "LiarsDice": "equiform.games.liars_dice",
        "Parameter": "equiform.games.registry",
        "StagedGame": "equiform.games.sequential",
        "TreeNode": "equiform.games.tree",
        "format_efg": "equiform.games.formats.efg",
        "format_nfg": "equiform.games.formats.nfg",
        "from_openspiel_policy": "equiform.games.formats.openspiel_policies",
        "load_game": "equiform.games.registry",
        "load_openspiel": "equiform.games.formats.openspiel",
        "openspiel_game": "equiform.games.formats.openspiel",
        "parse_efg": "equiform.games.formats.efg",
        "parse_nfg": "equiform.games.formats.nfg",
        "random_game": "equiform.games.random_game",
        "read_efg": "equiform.games.formats.efg",
        "read_nfg": "equiform.games.formats.nfg",
        "register": "equiform.games.registry",
        "to_openspiel_policy": "equiform.games.formats.openspiel_policies",
        "with_perfect_recall": "equiform.games.recall",
        "write_efg": "equiform.games.formats.efg",
        "write_nfg": "equiform.games.formats.nfg",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
