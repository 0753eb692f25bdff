"""Pages of tournaments and of iterative runs, from answers or from the files that hold them."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from equiform.models.common.errors import EquiformError, FormatError, ParameterError
from equiform.models.completion import complete
from equiform.models.game import as_sequence_form
from equiform.models.strategy import Strategy
from equiform.viewer import Explorer, RunsExplorer, ShownCurve, ShownProfile, TournamentExplorer
from equiform.viewer.convergence import course

if TYPE_CHECKING:
    from equiform.api.responses import SafeResponseFound

#: What a file of ``equiform tournament --out`` says it is.
TOURNAMENT = "equiform-tournament"
#: A page with more profiles would be large, and nobody would look at all of them.
MOST_PROFILES = 30
_SIZES = {"Int8": "<i1", "Int16": "<i2"}


def tournament_page(document: Mapping[str, Any], where: str) -> TournamentExplorer:
    """Make the page of a tournament from the plain data of its answer, charts included.

    Stacks and ICM are computed afresh from the rules; values, charts and the ε of the check are the answer's own.

    Raises
    ------
    FormatError
        If the data are not those of a solved tournament with charts of all stacks.
    """
    from equiform.games.cards.charts import starting_hands
    from equiform.games.tournament.histories import DECISIONS
    from equiform.games.tournament.structure import Tournament

    with _readable(where, "equiform tournament --out"):
        game = Tournament(**document["tournament"])
        states = game.states()
        names = [game.state_name(s) for s in range(len(states))]
        if list(document["values"]) != names:
            raise ValueError("the values are not those of its stacks")
        decisions = [(name, seat) for seat, own in enumerate(DECISIONS[game.players]) for name in own]
        found = _unpacked(document["charts"])
        return TournamentExplorer(
            f"Jam or fold, {game.chips:,} chips, blinds {game.small_blind:,}/{game.big_blind:,}",
            game.seats,
            decisions,
            starting_hands(),
            game.unit,
            states * game.unit,
            np.array([document["values"][name] for name in names], dtype=float),
            game.icm_values(),
            found.reshape(len(states), len(decisions), -1),
            _tournament_proof(document, game),
            _tournament_unproved(game.players),
            # files of earlier versions hold no measurements
            course(document.get("convergence", []), algorithm=str(document["algorithm"]), gap="\u03b5 in prizes"),
        )


def runs_page(document: Mapping[str, Any], where: str) -> RunsExplorer:
    """Make the page of one run or a comparison from its plain data (``equiform iterate`` or ``compare --json``)."""
    with _readable(where, "equiform iterate --json or equiform compare --json"):
        runs = list(document["algorithms"].values()) if "algorithms" in document else [document]
        unproved = (
            "Measurements of other moments: the gap is measured at the points of the chart and may rise between them.",
            "Exactness: gaps are computed in floating-point numbers.",
        )
        page = RunsExplorer(str(document["game"]), runs, document.get("lp"), unproved)
        _ = page.document
        return page


def response_page(found: SafeResponseFound) -> Explorer:
    """Make the page of a response to an opponent: a profile per kink of the curve, or the response alone."""
    from equiform.api.verification import verify
    from equiform.api.viewing import shown_profile

    game, curve = found.origin, found.curve
    if game is None:
        raise ParameterError("the game of the response is not known", where=found.game, fix="use `equiform.respond`")

    def shown(own: Strategy, epsilon: float) -> ShownProfile:
        profile = (own, found.opponent) if found.player == 0 else (found.opponent, own)
        return dataclasses.replace(shown_profile(verify(profile, game)), title=f"risk {epsilon:.6g}")

    if curve is None:
        return Explorer(game, (shown(found.strategy, found.epsilon),))
    form, kept = as_sequence_form(game), _spread(len(curve.epsilons))
    own = [complete(form, curve.plans[k], found.opponent.plan, player=found.player) for k in kept]
    risks, payoffs = curve.epsilons[kept].tolist(), curve.payoffs[kept].tolist()
    words = {
        "title": "Payoff against risk",
        "across": "risk: how far below the value the guarantee may lie",
        "up": f"payoff of player {found.player + 1} against the opponent ({found.against})",
        "value": "the value of the game",
        "note": "Every point is a profile of this page, and the curve is straight in between: select one.",
    }
    profiles = tuple(shown(strategy, risk) for strategy, risk in zip(own, risks, strict=True))
    return Explorer(game, profiles, ShownCurve(risks, payoffs, curve.value, words))


def _spread(count: int) -> list[int]:
    """Choose at most so many kinks as a page can hold, evenly, both ends among them."""
    return sorted({round(k) for k in np.linspace(0, count - 1, min(count, MOST_PROFILES))})


def is_run(document: Any) -> bool:
    """Whether plain data are those of an iterative run or of a comparison."""
    return isinstance(document, Mapping) and "game" in document and ("history" in document or "algorithms" in document)


def _tournament_unproved(players: int) -> tuple[str, ...]:
    found = [
        "The check was made when the tournament was solved; this page repeats what its answer says.",
        "Exactness: values and gains are computed in floating-point numbers, and charts are shown to 0.01 percent.",
        "More than jam or fold: nobody may raise less than everything.",
    ]
    if players > 2:
        found.append("Uniqueness: with three players, other equilibria may pay differently.")
    return tuple(found)


def _tournament_proof(document: Mapping[str, Any], game: Any) -> dict[str, Any]:
    prizes = ", ".join(f"{p:g}" for p in game.payouts)
    rules = {
        "prizes": prizes,
        "ante": f"{game.ante:,}",
        "smallest chip": f"{game.unit:,}",
        "two go out at once": game.double_bust,
        "odd chip": game.odd_chip,
    }
    own = {name: document[name] for name in ("algorithm", "iterations", "seconds", "stopped_by")}
    deviation, proof = document["icm"], document["certificate"]
    largest = {key: deviation["largest"][key] for key in ("stacks", "seat", "value", "icm")}
    return {
        "epsilon": float(proof["epsilon"]),
        "worst": {key: str(proof["worst"][key]) for key in ("stacks", "seat")},
        "icm": {"mean_deviation": float(deviation["mean_deviation"]), "largest": largest},
        "rules": rules,
        **own,
    }


def _unpacked(field: Mapping[str, str]) -> Any:
    """Read an array that :func:`equiform.viewer.document.packed` wrote."""
    return np.frombuffer(base64.b64decode(field["data"], validate=True), _SIZES[field["type"]])


@contextmanager
def _readable(where: str, command: str) -> Iterator[None]:
    """Turn the failures of reading plain data into an error that says which file is meant."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, EquiformError):
            raise
        fix = f"write it with `{command}`"
        raise FormatError(f"the file cannot be read: {error!r}"[:200], where=where, fix=fix) from error
