"""Players by what people write on a command line: a folder, a simple player's name, or a port."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from equiform.models.common.arguments import near_names
from equiform.models.common.errors import ParameterError
from equiform.play.dealer.betting import Action
from equiform.play.dealer.hand import Player, View
from equiform.play.dealer.rules import HoldemRules, rules_named
from equiform.play.holdem.folder import MANIFEST, open_agent
from equiform.play.holdem.simple import SIMPLE, simple_player


@dataclass(frozen=True)
class Named:
    """A player under another name, so that two of a kind can meet."""

    player: Player
    name: str

    def act(self, view: View) -> Action:
        """Return the player's move."""
        return self.player.act(view)


def open_player(text: str, *, game: str, seed: int = 0) -> tuple[Player, HoldemRules]:
    """Return a player and the game that it plays.

    Raises
    ------
    ParameterError
        If the text is neither a simple player's name nor an agent's folder.
    """
    if text in SIMPLE:
        return simple_player(text, seed), rules_named(game)
    if not (Path(text) / MANIFEST).exists() and not Path(text).is_dir():
        fix = f"{near_names(text, SIMPLE)}use an agent's folder or {', '.join(SIMPLE)}"
        raise ParameterError(f"there is no player {text!r}", where="players", fix=fix)
    stored = open_agent(text, seed=seed)
    assert stored.agent  # a damaged folder is refused before the match
    return stored, stored.rules


def open_pair(
    texts: tuple[str, str], *, game: str, seed: int = 0
) -> tuple[tuple[Player | None, Player | None], tuple[str, str], tuple[int, int], HoldemRules]:
    """Return two players, their names, their ports, and the game; ``None`` stands for a program that will connect."""
    players: list[Player | None] = []
    names, ports, rules = [], [], []
    for number, text in enumerate(texts):
        if text.startswith("tcp:"):
            if not text[4:].isdecimal() or int(text[4:]) > 65535:
                raise ParameterError(f"{text[4:]!r} is not a port", where=text, fix="write tcp:18790, or tcp:0 for any")
            players.append(None)
            names.append(f"program-{number + 1}")
            ports.append(int(text[4:]))
            continue
        player, its_rules = open_player(text, game=game, seed=2 * seed + number)
        players.append(player)
        names.append(player.name)
        ports.append(0)
        if text not in SIMPLE:
            rules.append(its_rules)
    if len({r.name for r in rules}) > 1:
        raise ParameterError("the agents play different games", where=" and ".join(texts), fix="choose two of one game")
    if names[0] == names[1]:
        names[1] += "-2"
        second = players[1]
        assert second is not None
        players[1] = Named(second, names[1])
    found = rules[0] if rules else rules_named(game)
    return (players[0], players[1]), (names[0], names[1]), (ports[0], ports[1]), found
