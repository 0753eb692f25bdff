"""A league: everybody against everybody on the same deals, in pieces that are stored one by one.

A league is described by plain data:

.. code-block:: json

    {"game": "limit", "hands": 2000, "seed": 1,
     "players": [{"name": "base", "agent": "agents/base"},
                 {"name": "purified", "agent": "agents/base", "postprocess": "purify"},
                 {"name": "endgames", "agent": "agents/base", "endgames": 100, "hands": 500},
                 {"agent": "always-call"}],
     "responses": [{"agent": "base", "from": "preflop", "hands": 500}]}

Every pair plays ``hands`` deals in duplicate, or as many as the slower of the two allows. Versions of one agent draw
the same random numbers, so that they part only where their strategies do; what endgame solving gains is measured by
the estimators of :mod:`equiform.play.endgame_estimators` too. ``responses`` are lower bounds of exploitability.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from equiform.models.common.arguments import require_count, require_kind, require_name, require_seed, require_sequence
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.common.files import read_json
from equiform.play.dealer.hand import HandRecord, Player
from equiform.play.dealer.match import play_duplicate
from equiform.play.dealer.rules import STREETS, rules_named
from equiform.play.endgame_estimators import ESTIMATORS, PairedHands
from equiform.play.holdem.endgame import RiverSolver
from equiform.play.holdem.folder import StoredAgent, open_agent
from equiform.play.holdem.simple import SIMPLE
from equiform.play.league.local_best_response import LocalBestResponse
from equiform.play.league.players import Named, open_player
from equiform.play.match import Estimate
from equiform.runs.batch import run_tasks
from equiform.runs.executor import Executor
from equiform.runs.progress import Listener, silent
from equiform.runs.task import Task, Values

#: Deals that one task plays.
CHUNK = 500


@dataclass(frozen=True)
class Entrant:
    """Who plays: a simple player, or an agent's folder with parts of it changed."""

    name: str
    agent: str
    postprocess: str = ""
    """Another post-processor than the folder's."""
    endgames: int = 0
    """Solve rivers anew with so many iterations."""
    hands: int = 0
    """At most so many deals per match; 0 for the league's number."""

    @staticmethod
    def of(document: Any) -> Entrant:
        """Read an entry of ``players``."""
        try:
            found = Entrant(**{"name": document["agent"], **document})
        except (KeyError, TypeError):
            raise ParameterError(f"{document!r} is not a player"[:200], where="league", fix=_PLAYER) from None
        for name in ("name", "agent", "postprocess"):
            require_kind(getattr(found, name), str, name, "league")
        for name in ("endgames", "hands"):
            require_count(getattr(found, name), name, f"league, {found.name}", least=0)
        return found

    def open(self, game: str, seed: int) -> Player:
        """Return the player."""
        player, rules = open_player(self.agent, game=game, seed=seed)
        if rules.name != game:
            raise ParameterError(f"{self.name} plays {rules.name}", where=f"a league of {game}", fix="leave it out")
        if self.agent in SIMPLE:
            return Named(player, self.name)
        parts: dict[str, Any] = {"name": self.name}
        parts |= {"postprocess": self.postprocess} if self.postprocess else {}
        parts |= {"endgames": RiverSolver(self.endgames).to_dict()} if self.endgames else {}
        return _opened(self.agent, seed, json.dumps(parts), json.dumps(open_agent(self.agent).manifest))

    @property
    def content(self) -> dict[str, Any]:
        """What the player is, whatever it is called and wherever its folder lies."""
        made: Any = self.agent if self.agent in SIMPLE else open_agent(self.agent).manifest
        return {"agent": made, "postprocess": self.postprocess, "endgames": self.endgames}


@lru_cache(maxsize=16)
def _opened(folder: str, seed: int, parts: str, manifest: str) -> StoredAgent:
    """Open an agent once per process; the manifest is in the key, so that a folder written anew is opened anew."""
    return StoredAgent(Path(folder), json.loads(manifest), seed).changed(**json.loads(parts))


_PLAYER = 'write {"name": "base", "agent": "a folder or always-call"}, with postprocess, endgames or hands if need be'


@dataclass(frozen=True)
class League:
    """Who plays whom, at what and how long."""

    game: str
    players: tuple[Entrant, ...]
    hands: int = 1000
    seed: int = 1
    responses: tuple[Mapping[str, Any], ...] = ()

    @staticmethod
    def of(document: Any) -> League:
        """Read a description."""
        require_kind(document, dict, "description", "league")
        unknown = set(document) - {"game", "players", "hands", "seed", "responses"}
        if unknown or "players" not in document:
            raise ParameterError(
                f"a league has no {sorted(unknown)[0]!r}" if unknown else "there are no players",
                where="league",
                fix="use game, players, hands, seed and responses",
            )
        players = tuple(Entrant.of(p) for p in require_sequence(document["players"], "players", "league"))
        names = [p.name for p in players]
        if len(set(names)) < len(names) or len(names) < 2:
            raise ParameterError(f"the players are {names}", where="league", fix="name two or more, all differently")
        rules_named(document.get("game", "limit"))
        responses = []
        for asked in require_sequence(document.get("responses", []), "responses", "league"):
            full = {"from": "preflop", "hands": 500, **asked}
            require_name(full.get("agent"), [p.name for p in players if p.agent not in SIMPLE], "agent", "responses")
            require_name(full["from"], STREETS, "street", "responses")
            require_count(full["hands"], "hands", "responses")
            responses.append(full)
        return League(
            document.get("game", "limit"),
            players,
            require_count(document.get("hands", 1000), "hands", "league"),
            require_seed(document.get("seed", 1), "league"),
            tuple(responses),
        )

    def entrant(self, name: str) -> Entrant:
        """Return the player of that name."""
        return next(p for p in self.players if p.name == name)

    def pairs(self) -> list[tuple[Entrant, Entrant]]:
        """Return who meets whom."""
        return [(a, b) for k, a in enumerate(self.players) for b in self.players[k + 1 :]]

    def deals(self, a: Entrant, b: Entrant) -> int:
        """Return how many deals two players play."""
        return min(self.hands, *(e.hands or self.hands for e in (a, b)))


def read_league(path: str | Path) -> League:
    """Read a league's description from a JSON file."""
    return League.of(read_json(path, "the league", fix="see the documentation of leagues"))


@dataclass(frozen=True, eq=False)
class LeagueResult:
    """All matches: chips that the first of each pair won, by half and deal, and where the river was played."""

    league: League
    matches: Mapping[tuple[str, str], tuple[IntArray, IntArray]] = field(repr=False)
    bounds: tuple[tuple[Mapping[str, Any], IntArray], ...] = field(repr=False)
    interrupted: bool = False

    def won(self, a: str, b: str) -> FloatArray:
        """Return what a won from b, deal by deal, in thousandths of a big blind per hand."""
        sign, key = (1, (a, b)) if (a, b) in self.matches else (-1, (b, a))
        return sign * 1000.0 * self.matches[key][0].mean(axis=0) / rules_named(self.league.game).big_blind

    def estimate(self, a: str, b: str) -> Estimate:
        """Return the mean of :meth:`won` with its 95% interval."""
        return Estimate.of(self.won(a, b))

    def versions(self) -> list[tuple[str, str, str]]:
        """Return every agent that has endgames, the entrant that is the same without, and each opponent of both."""
        found = []
        for e in self.league.players:
            for base in self.league.players:
                if e.endgames and not base.endgames and (e.agent, e.postprocess) == (base.agent, base.postprocess):
                    found += [
                        (base.name, e.name, o.name)
                        for o in self.league.players
                        if o not in (e, base) and self._has(e.name, o.name) and self._has(base.name, o.name)
                    ]
        return found

    def _has(self, a: str, b: str) -> bool:
        return (a, b) in self.matches or (b, a) in self.matches

    def paired(self, base: str, version: str, opponent: str) -> PairedHands:
        """Return the hands of two versions of an agent against one opponent, on the deals that both have played."""
        payoffs, rivers = [], []
        for own in (base, version):
            forward = (own, opponent) in self.matches
            chips, river = self.matches[(own, opponent) if forward else (opponent, own)]
            # whoever is named second sits in the other seat when a deal is first played
            payoffs.append(chips if forward else -chips[::-1])
            rivers.append(river if forward else river[::-1])
        n = min(p.shape[1] for p in payoffs)
        scale = 1000.0 / rules_named(self.league.game).big_blind
        return PairedHands(
            np.array([scale * p[:, :n].ravel() for p in payoffs]), np.array([r[:, :n].ravel() for r in rivers])
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the tables as plain data; amounts are in thousandths of a big blind per hand."""
        matches = []
        for a, b in self.matches:
            found = self.estimate(a, b)
            matches.append({"players": [a, b], "deals": len(self.won(a, b)), "mbb": [found.mean, found.half_width]})
        gains = []
        for base, version, opponent in self.versions():
            pairs = self.paired(base, version, opponent)
            gain: dict[str, Any] = {"base": base, "version": version, "opponent": opponent, "reach": pairs.reach}
            for name in ESTIMATORS if (pairs.endgames >= 0).all(axis=0).any() else ():
                found = pairs.estimate(name)
                gain[name] = [found.mean, found.half_width]
            gains.append(gain)
        scale = 1000.0 / rules_named(self.league.game).big_blind
        bounds = []
        for asked, chips in self.bounds:
            bound = Estimate.of(scale * chips.mean(axis=0))
            bounds.append({**asked, "deals": chips.shape[1], "mbb": [bound.mean, bound.half_width]})
        return {
            "game": self.league.game,
            "seed": self.league.seed,
            "players": [p.name for p in self.league.players],
            "matches": matches,
            "endgames": gains,
            "lower_bounds": bounds,
            "interrupted": self.interrupted,
        }


def play_league(
    league: League, *, store: str | Path | None = None, on: Executor | str = "local", progress: Listener = silent
) -> LeagueResult:
    """Play all matches of a league; with a store, what was played before is read.

    Parameters
    ----------
    league
        Who plays.
    store
        A folder for finished pieces.
    on
        ``local`` or ``processes:N``: the figures are the same.
    progress
        Called with :class:`~equiform.runs.progress.Progress`.
    """
    tasks: list[Task] = []
    owners: list[tuple[str, str] | int] = []
    for a, b in league.pairs():
        made = _tasks(league, a, b, league.deals(a, b), "")
        tasks += made
        owners += [(a.name, b.name)] * len(made)
    for number, asked in enumerate(league.responses):
        entrant = league.entrant(asked["agent"])
        made = _tasks(league, entrant, entrant, asked["hands"], asked["from"])
        tasks += made
        owners += [number] * len(made)
    batch = run_tasks(tasks, on=on, store=store, progress=progress, label="league")
    pieces: dict[tuple[str, str] | int, list[Values]] = {}
    for owner, values in zip(owners, batch.values, strict=True):
        if values is not None:
            pieces.setdefault(owner, []).append(values)
    joined = {owner: _joined(values) for owner, values in pieces.items()}
    return LeagueResult(
        league,
        {owner: found for owner, found in joined.items() if isinstance(owner, tuple)},
        tuple((asked, joined[k][0]) for k, asked in enumerate(league.responses) if k in joined),
        batch.interrupted,
    )


def _tasks(league: League, a: Entrant, b: Entrant, deals: int, response: str) -> list[Task]:
    names = ("name", "agent", "postprocess", "endgames")
    first, second = ({n: getattr(e, n) for n in names} for e in (a, b))
    return [
        Task(
            "equiform.play.league.league:play_piece",
            {
                "game": league.game, "a": first, "b": second, "seed": league.seed, "response": response,
                "first": begin, "count": min(CHUNK, deals - begin),
            },
            content={"a": a.content, "b": b.content},
            label=f"{'response' if response else a.name}-{b.name}",
            weight=min(CHUNK, deals - begin),
        )
        for begin in range(0, deals, CHUNK)
    ]  # fmt: skip


def play_piece(
    *, game: str, a: dict[str, Any], b: dict[str, Any], seed: int, response: str, first: int, count: int
) -> Values:
    """Play some deals of a match, in duplicate; return chips of the first player and the rivers that were played."""
    second: Player
    if response:
        second = Entrant(**{**b, "endgames": 0}).open(game, seed)
        assert isinstance(second, StoredAgent)
        one: Player = LocalBestResponse(second.agent, STREETS.index(response))
    else:
        one, second = Entrant(**a).open(game, seed), Entrant(**b).open(game, seed)
    played = play_duplicate(rules_named(game), (one, second), hands=count, seed=seed, first=first)
    chips = np.array([[r.won_by(played.names[0]) for r in half] for half in played.halves], dtype=np.int64)
    return {"chips": chips, "rivers": np.array([[river_of(r) for r in half] for half in played.halves])}


def river_of(record: HandRecord) -> int:
    """Return a number for the line on which a hand came to a decision on the river; -1 if it did not."""
    *before, last = record.line.split("/")
    return zlib.crc32("/".join(before).encode()) if len(before) == len(STREETS) - 1 and last else -1


def _joined(values: list[Values]) -> tuple[IntArray, IntArray]:
    try:
        return tuple(np.concatenate([v[name] for v in values], axis=1) for name in ("chips", "rivers"))  # type: ignore[return-value]
    except (KeyError, ValueError):
        raise FormatError("stored matches do not fit", where="league", fix="delete the store and play again") from None
