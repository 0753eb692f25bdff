"""The answer to a spot: strategies, values and the proof; to look at, save, load and compare."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equiform.api.spots.locks import Lock, fixed_moves
from equiform.api.spots.values import move_values, node_values
from equiform.endgames.river.trunk import next_spot
from equiform.games.cards.card import STANDARD, CardsLike
from equiform.games.poker.holdem.ranges import all_hands
from equiform.games.poker.holdem.spot import Spot
from equiform.models.common.array_types import BoolArray, FloatArray
from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.common.files import read_json, write_text
from equiform.models.common.html import EXPLORE, html_facts, interval_text
from equiform.models.public.game import PublicGame
from equiform.models.public.strategy import PublicStrategy
from equiform.validation.certificates.spot import SpotCertificate, certify_spot

if TYPE_CHECKING:
    from equiform.viewer import SpotExplorer

FORMAT, VERSION = "equiform-spot", 1
#: A JSON file holds a number per sequence; beyond this many it would be no use.
MAX_WRITTEN = 3_000_000


@dataclass(frozen=True)
class HandRow:
    """One hand at a decision: its weight, what it plays, and what that is worth (chips; a fold is worth 0)."""

    hand: str
    weight: float
    """The hand's share of all hands that come to this decision."""
    probabilities: tuple[float, ...]
    ev_of_moves: tuple[float, ...]
    ev: float
    equity: float


@dataclass(frozen=True)
class NodeTable:
    """A decision: who moves, the moves, and a row per hand."""

    player: int
    history: str
    board: str
    moves: tuple[str, ...]
    rows: tuple[HandRow, ...] = field(repr=False)
    frequencies: tuple[float, ...]
    """How often each move is played, over all hands that come here."""
    ev: float
    equity: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "player": self.player + 1,
            "history": self.history,
            "board": self.board,
            "moves": list(self.moves),
            "frequencies": list(self.frequencies),
            "ev": self.ev,
            "equity": self.equity,
            "hands": [
                {
                    "hand": r.hand, "weight": r.weight, "probabilities": list(r.probabilities),
                    "ev_of_moves": list(r.ev_of_moves), "ev": r.ev, "equity": r.equity,
                }
                for r in self.rows
            ],
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class SpotSolution:
    """A solved spot."""

    spot: Spot
    method: str
    strategies: tuple[PublicStrategy, PublicStrategy] = field(repr=False)
    stopped_by: str
    iterations: int
    seconds: float
    locks: tuple[Lock, ...] = ()
    history: tuple[tuple[int, float, float], ...] = field(default=(), repr=False)
    """Convergence: iterations, seconds, exploitability in percent of the pot as the solver measured it."""
    concept: str = "nash"
    program: Mapping[str, Any] | None = field(default=None, repr=False)
    """What linear programs did: their number as ``rounds``, the ``gap`` as a share of the pot, and their sizes."""

    @property
    def game(self) -> PublicGame:
        """The spot as a public game."""
        return self.strategies[0].game

    @cached_property
    def certificate(self) -> SpotCertificate:
        """The proof, computed from the rules when it is first asked for."""
        return certify_spot(self.spot, self)

    @property
    def ev(self) -> float:
        """Player 1's expected share of the pot in chips."""
        return self.certificate.ev

    @property
    def work(self) -> str:
        """What was done to find it, in words."""
        if self.program is None:
            return f"{self.iterations:,} iterations"
        rounds = int(self.program["rounds"])
        programs = f"{rounds} linear program{'s' if rounds != 1 else ''}"
        between = self.program.get("buckets")
        small = f" between {between[0]} and {between[1]} buckets" if between else ""
        return f"{self.concept} by {programs}{small}, gap {self.program['gap']:.1e} of the pot"

    # -- what a certificate reads ----------------------------------------------------------------------------------

    def probabilities(self, player: int, board: tuple[int, ...], node: int) -> FloatArray:
        """Return a row of probabilities for each of the 1,326 hands on concrete public cards."""
        strategy = self.strategies[player]
        at, hands = strategy.hands(board)
        return strategy.behavior(at, node)[np.maximum(hands, 0)]

    def locked(self, player: int, board: tuple[int, ...], node: int) -> BoolArray | None:
        """Return which of the 1,326 hands are locked."""
        strategy = self.strategies[player]
        if not len(strategy.fixed):
            return None
        at, hands = strategy.hands(board)
        n = int(strategy.game.boards.hands[player].num_hands(at))
        held = strategy.fixed[strategy.rows(at, node)].reshape(-1, n)[0] >= 0
        return np.asarray(held[np.maximum(hands, 0)])

    # -- what people look at -----------------------------------------------------------------------------------------

    @cached_property
    def _values(self) -> tuple[FloatArray, FloatArray]:
        return move_values(self.strategies, 0), move_values(self.strategies, 1)

    def table(self, history: str = "", cards: CardsLike = ()) -> NodeTable:
        """Return a decision: named by its history, and by the further public cards if it stands on a later street."""
        node, player = self.game.betting.decision(history)
        public = (*self.spot.board, *STANDARD.cards(cards))
        wanted = len(self.spot.board) + int(self.game.betting.street[node])
        if len(public) != wanted:
            raise ParameterError(
                f"a board of {len(public)} cards",
                where=f"node {history!r}",
                fix=f"this decision is made on {wanted}: name the further cards",
            )
        strategy = self.strategies[player]
        board, hands = strategy.hands(public)
        found = node_values(
            self.strategies, self._values[player], board, node, float(self.spot.betting.paid[node, player])
        )
        odds = strategy.behavior(board, node)
        held = np.flatnonzero(hands >= 0)
        size = np.bincount(hands[held], minlength=len(odds))
        weights = found.reach[hands[held]] / size[hands[held]]
        weights = weights / (weights.sum() or 1.0)
        rows = tuple(
            HandRow(
                STANDARD.text(all_hands()[k][::-1]), float(w), tuple(odds[h].tolist()), tuple(found.moves[h].tolist()),
                float(found.hand[h]), float(found.equity[h]),
            )
            for k, h, w in zip(held.tolist(), hands[held].tolist(), weights.tolist(), strict=True)
        )  # fmt: skip
        own = hands[held]
        return NodeTable(
            player, history, STANDARD.text(public), self.game.betting.actions(node), rows,
            tuple((weights @ odds[own]).tolist()),
            float(weights @ np.nan_to_num(found.hand[own])),
            float(weights @ np.nan_to_num(found.equity[own])),
        )  # fmt: skip

    def after(
        self, history: str, cards: CardsLike, *, pot: float | None = None, stack: float | None = None, **sizes: Any
    ) -> Spot:
        """Return the spot of the next street: see :func:`equiform.endgames.river.trunk.next_spot`."""
        return next_spot(self.spot, self.strategies, history, cards, pot=pot, stack=stack, **sizes)

    def _repr_html_(self) -> str:
        found = self.certificate
        facts = {
            "spot": self.spot.name,
            "player 1's share of the pot": f"{found.ev:.6g}",
            "which lies in": interval_text((found.lower, found.upper)),
            "exploitability": f"{found.percent:.3g}% of the pot",
            "solved by": f"{self.method}, {self.work}, stopped by {self.stopped_by}",
        }
        return html_facts("Solved spot", facts, EXPLORE)

    def view(self, cards: Sequence[CardsLike] | None = None) -> SpotExplorer:
        """Return a page to explore the answer: the grid of hands at every decision, single hands, the proof.

        Parameters
        ----------
        cards
            The run-outs whose decisions the page holds, such as ``["2s", "Kh"]``, or ``["2sKh"]`` after a flop; by
            default all of them if they take at most three megabytes, and otherwise none.
        """
        from equiform.api.spots.page import spot_page

        return spot_page(self, cards)

    def summary(self) -> dict[str, Any]:
        """Return the answer without the strategies, as plain data."""
        return {
            "spot": self.spot.to_dict(),
            "method": self.method,
            "concept": self.concept,
            "stopped_by": self.stopped_by,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "sequences": list(self.game.num_sequences),
            "locks": [lock.to_dict() for lock in self.locks],
            "ev": [self.ev, self.spot.betting.pot - self.ev],
            "certificate": self.certificate.to_dict(),
            "convergence": [list(point) for point in self.history],
            "program": None if self.program is None else dict(self.program),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, strategies included."""
        sizes = self.game.num_sequences
        if sum(sizes) > MAX_WRITTEN:
            raise ParameterError(
                f"{sum(sizes):,} numbers are too many for a JSON file",
                where="spot",
                fix="write the tables you need, or keep the solver's state with --state",
            )
        plans = [[float(f"{p:.9g}") for p in s.plan.tolist()] for s in self.strategies]
        return {
            "format": FORMAT,
            "version": VERSION,
            **self.summary(),
            "isomorphism": _merged(self.game),
            "plans": plans,
        }

    def write(self, path: str | Path) -> None:
        """Write the solution to a JSON file."""
        write_text(path, json.dumps(self.to_dict(), ensure_ascii=False) + "\n")


def _merged(game: PublicGame) -> bool:
    return game.dealt is not None and len(game.dealt.renamings) > 1


def read_solution(path: str | Path) -> SpotSolution:
    """Read what :meth:`SpotSolution.write` wrote; the certificate is computed again, not trusted."""
    document = read_json(path, "the solution", fix="write it with `equiform spot --out`")
    if not isinstance(document, dict) or document.get("format") != FORMAT or document.get("version") != VERSION:
        raise FormatError("not a solved spot", where=str(path), fix=f"expected format {FORMAT!r}, version {VERSION}")
    try:
        spot = Spot.from_dict(document["spot"])
        locks = tuple(Lock(**entry) for entry in document["locks"])
        game = spot.game(isomorphism=bool(document["isomorphism"]))
        fixed = fixed_moves(game, locks)
        strategies = [
            PublicStrategy(game, p, np.array(plan, dtype=np.float64), np.zeros(0) if fixed is None else fixed[p])
            for p, plan in enumerate(document["plans"])
        ]
        convergence = tuple((int(a), float(b), float(c)) for a, b, c in document["convergence"])
        return SpotSolution(
            spot, str(document["method"]), (strategies[0], strategies[1]), str(document["stopped_by"]),
            int(document["iterations"]), float(document["seconds"]), locks, convergence,
            str(document.get("concept", "nash")), document.get("program"),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, IndexError) as error:
        if isinstance(error, ParameterError):
            raise
        raise FormatError(f"the solution is damaged: {error}", where=str(path), fix="solve the spot again") from None


def compare(first: SpotSolution, second: SpotSolution, histories: Sequence[str] = ("",)) -> dict[str, Any]:
    """Compare two solutions: EV, exploitability, and how often moves are played at decisions that both have."""
    nodes = []
    for history in histories:
        one, two = first.table(history), second.table(history)
        moves = sorted({*one.moves, *two.moves}, key=[*one.moves, *two.moves].index)
        frequencies = [dict(zip(t.moves, t.frequencies, strict=True)) for t in (one, two)]
        nodes.append(
            {
                "history": history,
                "moves": [{"move": m, "first": frequencies[0].get(m), "second": frequencies[1].get(m)} for m in moves],
                "ev": [one.ev, two.ev],
            }
        )
    return {
        "ev": [first.ev, second.ev],
        "exploitability_percent_of_pot": [first.certificate.percent, second.certificate.percent],
        "nodes": nodes,
    }
