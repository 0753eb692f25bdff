"""The answer to a game of Rhode Island hold'em: strategies, the proof, and what to look at."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from equiform.games.cards.card import CardsLike
from equiform.games.poker.rhode_island import RhodeIsland
from equiform.models.common.array_types import FloatArray, IntArray
from equiform.models.common.errors import EquiformError, FormatError, ParameterError
from equiform.models.common.files import read_arrays, whole_file
from equiform.models.public.concrete import ConcretePlay
from equiform.models.public.game import PublicGame
from equiform.models.public.strategy import PublicStrategy
from equiform.validation.certificates.certificate import Certificate
from equiform.validation.certificates.rhode_island import certify_rhode_island

FORMAT = "equiform rhode-island 1"


@dataclass(frozen=True)
class RoundTable:
    """A decision: who moves, the moves, and a row of probabilities per private card."""

    player: int
    history: str
    board: str
    moves: tuple[str, ...]
    hands: tuple[str, ...]
    probabilities: tuple[tuple[float, ...], ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "player": self.player + 1,
            "history": self.history,
            "board": self.board,
            "moves": list(self.moves),
            "hands": {h: list(row) for h, row in zip(self.hands, self.probabilities, strict=True)},
        }


@dataclass(frozen=True, eq=False)
class RhodeIslandSolution:
    """A solved game."""

    rules: RhodeIsland
    method: str
    strategies: tuple[PublicStrategy, PublicStrategy] = field(repr=False)
    stopped_by: str
    iterations: int
    seconds: float
    history: tuple[tuple[int, float, float], ...] = field(default=(), repr=False)
    """Convergence: iterations, seconds, exploitability in chips as the solver measured it."""
    exact_value: str | None = None
    """The value as a fraction, where the game was solved in rational numbers."""

    @property
    def game(self) -> PublicGame:
        """The game as a public tree times private cards."""
        return self.strategies[0].game

    @cached_property
    def certificate(self) -> Certificate:
        """The proof, computed from the rules and every deal when it is first asked for."""
        return certify_rhode_island(self.rules, self)

    @property
    def value(self) -> float:
        """Player 1's expected payoff in chips under the two strategies."""
        return self.certificate.payoffs[0]

    @property
    def bracket(self) -> tuple[float, float]:
        """An interval that contains the value of the game."""
        found = self.certificate.bracket
        assert found is not None
        return found

    # -- what a certificate reads ----------------------------------------------------------------------------------

    @cached_property
    def _play(self) -> ConcretePlay:
        return ConcretePlay(self.strategies)

    def probabilities(self, player: int, boards: IntArray, history: str) -> FloatArray:
        """Return ``[board, card, move]`` for concrete public cards after a history."""
        return self._play.probabilities(player, boards, history)

    # -- what people look at -----------------------------------------------------------------------------------------

    def table(self, history: str = "", cards: CardsLike = ()) -> RoundTable:
        """Return a decision, named by its history and by the public cards that lie there."""
        betting, deck = self.game.betting, self.rules.deck
        node, player = betting.decision(history)
        public = deck.cards(cards)
        if len(public) != int(betting.street[node]):
            raise ParameterError(
                f"{len(public)} public cards",
                where=f"after {history or 'the deal'}",
                fix=f"this decision is made on {int(betting.street[node])}",
            )
        board, hands = self.strategies[player].hands(public)
        odds = self.strategies[player].behavior(board, node)
        held = [c for c in range(len(deck)) if c not in public]
        first = {int(hands[c]): c for c in reversed(held)}  # one card for all that play alike
        rows = [(deck.text([c]) if public else deck.ranks[c // deck.n_suits], odds[h]) for h, c in first.items()]
        order = np.argsort([first[h] for h in first])
        names = tuple(rows[k][0] for k in order)
        return RoundTable(
            player, history, deck.text(public), betting.actions(node), names,
            tuple(tuple(float(p) for p in rows[k][1]) for k in order),
        )  # fmt: skip

    def first_round(self) -> tuple[RoundTable, ...]:
        """Return the decisions of the first round, in the order of the tree."""
        tree = self.game.betting
        nodes = np.flatnonzero((tree.street == 0) & (tree.turn >= 0)).tolist()
        return tuple(self.table(tree.history(node)) for node in nodes)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer with the strategy of the first round, as plain data."""
        proof = self.certificate
        first, second = self.game.num_sequences
        return {
            "game": self.rules.spec,
            "method": self.method,
            "stopped_by": self.stopped_by,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "sequences": [first, second],
            "infosets": list(self.game.num_infosets),
            "public_nodes": public_nodes(self.game),
            "value": self.value,
            "exact_value": self.exact_value,
            "bracket": list(self.bracket),
            "exploitability": proof.exploitability,
            "nash_conv": proof.nash_conv,
            "regrets": list(proof.regrets),
            "residuals": list(proof.residuals),
            "witness": proof.witness,
            "convergence": [list(point) for point in self.history],
            "first_round": [table.to_dict() for table in self.first_round()],
        }

    def write(self, path: str | Path) -> None:
        """Write the strategies to an ``.npz`` file, atomically."""
        meta = {
            "format": FORMAT,
            "rules": {name: getattr(self.rules, name) for name in self.rules.__dataclass_fields__},
            "method": self.method,
            "stopped_by": self.stopped_by,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "history": [list(point) for point in self.history],
            "exact_value": self.exact_value,
        }
        plans: dict[str, Any] = {f"plan{p}": s.plan for p, s in enumerate(self.strategies)}
        with whole_file(path) as draft, draft.open("wb") as stream:
            np.savez_compressed(stream, meta=np.frombuffer(json.dumps(meta).encode(), dtype=np.uint8), **plans)


def read_rhode_island(path: str | Path) -> RhodeIslandSolution:
    """Read what :meth:`RhodeIslandSolution.write` wrote; the certificate is computed again, not trusted."""
    fix = "write one with `equiform solve rhode-island --out`"
    arrays = read_arrays(path, "the solution", fix=fix)
    try:
        meta: Mapping[str, Any] = json.loads(arrays["meta"].tobytes())
        if meta["format"] != FORMAT:
            raise FormatError(f"the file has format {meta['format']!r}", where=str(path), fix=f"expected {FORMAT!r}")
        rules = RhodeIsland(**meta["rules"])
        game = rules.public()
        first, second = (PublicStrategy(game, p, arrays[f"plan{p}"]) for p in (0, 1))
        history = tuple((int(a), float(b), float(c)) for a, b, c in meta["history"])
        return RhodeIslandSolution(
            rules, str(meta["method"]), (first, second), str(meta["stopped_by"]), int(meta["iterations"]),
            float(meta["seconds"]), history, meta["exact_value"],
        )  # fmt: skip
    except FormatError:
        raise
    except (EquiformError, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise FormatError(f"the solution is damaged: {error}", where=str(path), fix=fix) from None


def public_nodes(game: PublicGame) -> int:
    """Count the public decisions: of the betting, on every board."""
    tree = game.betting
    by_street = np.bincount(tree.street[tree.turn >= 0], minlength=tree.num_streets)
    return int(by_street[game.boards.street].sum())
