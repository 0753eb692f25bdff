r"""Games by name: ``kuhn``, ``leduc:ranks=13``, ``openspiel:liars_dice``, ``some/file.efg``.

To add a game, write its rules (:class:`equiform.models.extensive.Rules`) in a module of its own and add a
:class:`GameEntry` here, or call :func:`register` from your own code. Parameters are declared with a default and bounds,
so that a spec is checked, listed by the command line and documented in one place.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from equiform.games import matrix
from equiform.games.goofspiel import ORDERS, RETURNS, Goofspiel
from equiform.games.liars_dice import LiarsDice
from equiform.games.poker.clairvoyance import Clairvoyance
from equiform.games.poker.kuhn import Kuhn
from equiform.games.poker.kuhn_multiplayer import KuhnMultiplayer
from equiform.games.poker.kuhn_nl import KuhnNoLimit
from equiform.games.poker.leduc import Leduc
from equiform.games.poker.leduc_nl import LeducNoLimit
from equiform.games.random_game import random_game
from equiform.games.sequential import figure_10_2, figure_13_9, sequential_rps
from equiform.models.common.errors import ParameterError
from equiform.models.compile import compile_rules
from equiform.models.extensive import ExtensiveGame
from equiform.models.normal_form import NormalForm
from equiform.models.rules import Rules

Game: TypeAlias = ExtensiveGame | NormalForm
Value: TypeAlias = int | Fraction | bool | str


@dataclass(frozen=True)
class Parameter:
    """A parameter of a game. The default gives its type; numbers may have bounds, words a list of choices."""

    name: str
    default: Value
    help: str
    low: int | Fraction | None = None
    high: int | Fraction | None = None
    choices: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The type in words."""
        if self.choices:
            return " | ".join(self.choices)
        return {bool: "true | false", int: "whole number", Fraction: "number", str: "text"}[type(self.default)]

    def parse(self, text: str, where: str) -> Value:
        """Read a value, or raise a :class:`ParameterError` that says what would do."""
        value = self._value(text)
        if value is None:
            raise ParameterError(f"{self.name}={text} is not a {self.kind}", where=where, fix=f"{self.name} is {self}")
        too_low = self.low is not None and not isinstance(value, str) and value < self.low
        too_high = self.high is not None and not isinstance(value, str) and value > self.high
        if too_low or too_high:
            raise ParameterError(f"{self.name}={text} is out of range", where=where, fix=f"{self.name} is {self}")
        return value

    def _value(self, text: str) -> Value | None:
        if self.choices:
            return text if text in self.choices else None
        if isinstance(self.default, bool):
            return {"true": True, "false": False}.get(text.lower())
        if isinstance(self.default, int):
            return int(text) if re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII) else None
        if isinstance(self.default, Fraction):
            number = re.fullmatch(r"[+-]?(\d{1,18}(\.\d{0,18})?|\.\d{1,18}|\d{1,18}/0*[1-9]\d{0,17})", text, re.ASCII)
            return Fraction(text) if number else None
        return text

    def __str__(self) -> str:
        bounds = [f"at least {self.low}"] * (self.low is not None) + [f"at most {self.high}"] * (self.high is not None)
        return f"{self.help} ({', '.join([self.kind, *bounds])}; default {show(self.default)})"


@dataclass(frozen=True)
class GameEntry:
    """A game in the registry. ``build`` takes the parameters by name and returns rules or a finished game."""

    name: str
    summary: str
    build: Callable[..., Rules | Game]
    parameters: tuple[Parameter, ...] = ()
    example: str = ""
    aliases: tuple[str, ...] = ()  # earlier names, which keep working

    def spec(self, values: dict[str, Value]) -> str:
        """Give the shortest spec: only parameters that differ from their defaults."""
        changed = [f"{p.name}={show(values[p.name])}" for p in self.parameters if values[p.name] != p.default]
        return f"{self.name}:{','.join(changed)}" if changed else self.name

    def load(self, values: dict[str, Value]) -> Game:
        """Build the game with all parameters given."""
        made: Any = self.build(**values)
        game = made if isinstance(made, ExtensiveGame | NormalForm) else compile_rules(made)
        return dataclasses.replace(game, name=self.spec(values))


GAMES: dict[str, GameEntry] = {}


def register(entry: GameEntry) -> GameEntry:
    """Add a game; its name must be new."""
    if entry.name in GAMES:
        raise ParameterError(f"there is already a game called {entry.name!r}", fix="choose another name")
    GAMES[entry.name] = entry
    return entry


def load_game(spec: str | Path) -> Game:
    """Load a game by its spec: a registered name with parameters, an ``.efg``/``.nfg`` path or ``openspiel:NAME(…)``.

    >>> load_game("kuhn:cards=4").num_sequences(0)
    17
    """
    if isinstance(spec, Path):
        return _load_file(spec)
    if not isinstance(spec, str):
        raise ParameterError("a game is loaded by its name", where=repr(spec)[:100], fix="give a name such as 'kuhn'")
    spec = spec.strip()
    if spec.lower().endswith((".efg", ".nfg")):
        return _load_file(Path(spec))
    name, _, rest = spec.partition(":")
    if name == "openspiel":
        from equiform.games.formats.openspiel import load_openspiel

        return load_openspiel(rest)
    entry = find_entry(name)
    return entry.load(parse_parameters(entry, rest, spec))


def find_entry(name: str) -> GameEntry:
    """Find a registered game by its name without parameters, or say which names are near."""
    entry = GAMES.get(name) or next((known for known in GAMES.values() if name in known.aliases), None)
    if entry is None:
        near = difflib.get_close_matches(name, GAMES, n=3)
        guess = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
        raise ParameterError(
            f"there is no game called {name!r}",
            where=f"game {name!r}",
            fix=f"{guess}`equiform games` lists the names; an .efg or .nfg path or openspiel:NAME also works",
        )
    return entry


def parse_parameters(entry: GameEntry, text: str, spec: str) -> dict[str, Value]:
    """Read ``key=value,key=value`` against an entry's parameters, filling in the defaults."""
    known = {p.name: p for p in entry.parameters}
    values: dict[str, Value] = {p.name: p.default for p in entry.parameters}
    seen: set[str] = set()
    where = f"game {spec!r}"
    for part in filter(None, (p.strip() for p in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise ParameterError(f"{part!r} is not of the form name=value", where=where, fix=_offer(entry))
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            guess = f"did you mean {near[0]!r}? " if near else ""
            raise ParameterError(f"{entry.name} has no parameter {key!r}", where=where, fix=f"{guess}{_offer(entry)}")
        if key in seen:
            raise ParameterError(f"{key} is given twice", where=where, fix="give it once")
        seen.add(key)
        values[key] = known[key].parse(value, where)
    return values


def show(value: Value) -> str:
    """Write a parameter value as a spec would.

    >>> show(True), show(Fraction(1, 10)), show(3)
    ('true', '1/10', '3')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)


def _offer(entry: GameEntry) -> str:
    if not entry.parameters:
        return f"{entry.name} takes no parameters"
    return "its parameters are " + ", ".join(f"{p.name}={show(p.default)}" for p in entry.parameters)


def _load_file(path: Path) -> Game:
    kind = path.suffix.lower()
    if kind == ".efg":
        from equiform.games.formats.efg import read_efg

        return read_efg(path)
    if kind == ".nfg":
        from equiform.games.formats.nfg import read_nfg

        return read_nfg(path)
    raise ParameterError("this is not the path of a game", where=str(path), fix="give an .efg or .nfg file")


_STACK = Parameter("stack", Fraction(10), "chips of each player after the ante", Fraction(0), Fraction(10_000))
_STEP = Parameter("step", Fraction(1, 10), "bets are multiples of it", Fraction(1, 1000))
_RANKS = Parameter("ranks", 3, "ranks in the deck", 2, 40)
_SUITS = Parameter("suits", 2, "suits in the deck", 1, 10)

for _entry in (
    GameEntry(
        "kuhn",
        "Kuhn poker: one card each from J Q K, one bet",
        lambda cards: Kuhn(cards),
        (Parameter("cards", 3, "cards in the deck", 2, 1400),),
        "kuhn:cards=50",
    ),
    GameEntry(
        "one-card",
        "one-card poker: Kuhn poker with the thirteen ranks of a suit",
        lambda cards: Kuhn(cards, "one-card"),
        (Parameter("cards", 13, "cards in the deck", 2, 1400),),
        "one-card:cards=500",
    ),
    GameEntry("leduc", "limit Leduc hold'em, dealt by rank", Leduc, (_RANKS, _SUITS), "leduc:ranks=13"),
    GameEntry(
        "leduc-nl",
        "no-limit Leduc hold'em: any whole bet up to the stack",
        LeducNoLimit,
        (Parameter("stack", 12, "chips of each player, ante included", 1, 16), _RANKS, _SUITS),
        "leduc-nl:stack=12",
    ),
    GameEntry(
        "clairvoyance",
        "player 1 knows who wins and bets any multiple of the step; player 2 calls or folds",
        Clairvoyance,
        (_STACK, _STEP),
        "clairvoyance:stack=10",
    ),
    GameEntry(
        "kuhn-nl",
        "no-limit Kuhn poker: player 1 bets any multiple of the step; player 2 calls or folds",
        KuhnNoLimit,
        (_STACK, _STEP, Parameter("cards", 3, "cards in the deck", 2, 100)),
        "kuhn-nl:stack=10",
    ),
    GameEntry(
        "kuhn-multiplayer",
        "Kuhn poker for three players and more, one card more than players",
        KuhnMultiplayer,
        (Parameter("players", 3, "players", 2, 7),),
        "kuhn-multiplayer:players=4",
        aliases=("kuhn3",),
    ),
    GameEntry(
        "liars-dice",
        "liar's dice for two, highest face wild",
        LiarsDice,
        (Parameter("sides", 6, "sides of a die", 2, 8), Parameter("dice", 1, "dice of each player", 1, 4)),
        "liars-dice:sides=4",
    ),
    GameEntry(
        "goofspiel",
        "goofspiel for two: bid cards for prizes",
        Goofspiel,
        (
            Parameter("cards", 4, "cards of each player", 2, 8),
            Parameter("order", "descending", "order of the prizes", choices=ORDERS),
            Parameter("imp_info", True, "whether bids stay hidden and only the winner of a prize is seen"),
            Parameter("returns", "win_loss", "what is paid", choices=RETURNS),
        ),
        "goofspiel:cards=5",
    ),
    GameEntry("rps", "rock-paper-scissors", matrix.rock_paper_scissors),
    GameEntry("rpst", "rock-paper-scissors in which player 2 has a dominated fourth move", matrix.rpst),
    GameEntry("fig-10.2", "player 1 chooses one of three matrix games, which is then played", figure_10_2),
    GameEntry("rps-sequential", "rock-paper-scissors as a tree: player 2 moves second, blindly", sequential_rps),
    GameEntry(
        "fig-8.2",
        "matrix game in which purification gains k",
        matrix.figure_8_2,
        (Parameter("k", Fraction(1), "the gain", Fraction(0)),),
        "fig-8.2:k=1",
    ),
    GameEntry("fig-13.5", "matrix game with a gift that is not dominated", matrix.figure_13_5),
    GameEntry("fig-13.6", "matrix game with a move outside all supports that is no gift", matrix.figure_13_6),
    GameEntry("fig-13.7", "first stage of the gift game", matrix.figure_13_7),
    GameEntry("fig-13.8", "second stage of the gift game", matrix.figure_13_8),
    GameEntry("fig-13.9", "two-stage gift game: fig-13.7, then fig-13.8", figure_13_9),
    GameEntry(
        "random",
        "a random game with perfect recall",
        random_game,
        (
            Parameter("seed", 1, "which of the random games", 0),
            Parameter("depth", 4, "moves on the longest path", 0, 14),
            Parameter("branching", 3, "most moves at a node", 1, 26),
            Parameter("merge", Fraction(1, 2), "how often a node joins an information set", Fraction(0), Fraction(1)),
            Parameter("chance", Fraction(1, 5), "how often chance moves", Fraction(0), Fraction(1)),
            Parameter("payoff", 10, "largest absolute payoff", 0),
            Parameter("players", 2, "players", 1, 10),
            Parameter("zero_sum", True, "whether payoffs sum to zero"),
        ),
        "random:seed=1,depth=4",
    ),
):
    register(_entry)
