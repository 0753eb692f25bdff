"""Looking at answers: the explorer page of a solved game, and drawn trees and tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from equiform.api.equilibrium import TOLERANCE, Solved, solve
from equiform.api.general_sum import GeneralSumSolved
from equiform.api.inputs import GameLike, as_game
from equiform.api.spots.solution import FORMAT as SPOT_FORMAT
from equiform.api.spots.solution import SpotSolution, read_solution
from equiform.api.verification import Verification, verify
from equiform.models.common.errors import FormatError, ParameterError, StrategyError
from equiform.models.common.files import read_json
from equiform.models.game import Game
from equiform.models.strategy import FORMAT, Strategy
from equiform.solvers_iterative.progress import IterativeResult

if TYPE_CHECKING:
    from equiform.viewer import Drawing, Page, ShownProfile

Answer: TypeAlias = Solved | GeneralSumSolved | Verification
"""An answer of ours: a game, a profile and what is proved about it."""


def view(
    shown: Answer | SpotSolution | IterativeResult | GameLike,
    *,
    game: GameLike | None = None,
    against: Answer | str | Path | Sequence[Strategy] | None = None,
    exact: bool = False,
    cards: Sequence[str] | None = None,
) -> Page:
    """Make an explorer page: the game to walk through, the strategies, the proof.

    Parameters
    ----------
    shown
        An answer, a solved spot, an iterative run, a file of one (``--out`` of ``equiform solve``, ``spot`` and
        ``tournament``, or what ``equiform solve``, ``iterate`` or ``compare`` printed with ``--json``), or a game,
        which is then solved.
    game
        The game of a file; by default the one that the file names.
    against
        A second profile of the same game to compare with: an answer, a file, or one strategy per player.
    exact
        Whether a game is solved in rational numbers.
    cards
        The run-outs that the page of a spot holds: see :meth:`equiform.api.spots.SpotSolution.view`.

    Returns
    -------
    Page
        A page to ``write`` to a file, which a notebook displays by itself.

    Raises
    ------
    FormatError
        If a file holds neither strategies nor a game.
    StrategyError
        If the second profile belongs to another game.

    Examples
    --------
    >>> page = view("kuhn", exact=True)
    >>> page.titles, "Content-Security-Policy" in page.html
    (['nash by highs, exact'], True)
    """
    from equiform.viewer import Explorer

    alone = _alone(shown, cards)
    if alone is not None:
        if game is not None or against is not None:
            raise ParameterError("this page is shown alone", where=alone.title, fix="leave game and against out")
        return alone
    if cards is not None:
        raise ParameterError("run-outs of something that is not a spot", where="cards", fix="leave cards out")
    answer = _answer(shown, game, exact)
    others = () if against is None else (shown_profile(_comparable(answer, against)),)
    return Explorer(answer.game, (shown_profile(answer), *others))


def _comparable(answer: Answer, against: Answer | str | Path | Sequence[Strategy]) -> Answer:
    """Return the second answer of a page, which must belong to the game of the first."""
    other = _answer_against(against, answer.game)
    if not _same_decisions(_strategies(answer), _strategies(other)):
        raise StrategyError(
            "the second profile belongs to another game",
            where=f"{answer.game.name} and {other.game.name}",
            fix="compare two profiles of one game",
        )
    return other


def draw(
    game: Answer | GameLike,
    *,
    strategy: Answer | str | Path | Sequence[Strategy] | None = None,
    depth: int | None = None,
    history: str | None = None,
    limit: int | None = None,
    diagram: bool = False,
) -> Drawing:
    """Draw a game tree, or the payoff table of a matrix game.

    Parameters
    ----------
    game
        Anything that :func:`as_game` takes, or an answer, which is drawn with its strategies.
    strategy
        A profile whose probabilities are written at the moves: an answer, a strategy file, or one strategy per player.
    depth
        How many moves deep to draw.
    history
        Draw only what leads to this public history and what follows it, such as ``"check–bet"``.
    limit
        How many nodes there may be; the default is what stays readable.
    diagram
        Draw best-response diagrams below a payoff table: one per player with two or three moves.

    Returns
    -------
    Drawing
        A picture with ``svg``, ``tikz`` and ``write``, which a notebook displays by itself.

    Examples
    --------
    >>> draw("kuhn", depth=2).svg.startswith("<svg")
    True
    """
    from equiform.viewer import draw_game

    if isinstance(game, Solved | GeneralSumSolved | Verification):
        strategy = game if strategy is None else strategy
        game = game.game
    loaded = as_game(game)
    profile = None if strategy is None else _strategies(_answer_against(strategy, loaded))
    return draw_game(loaded, profile, depth=depth, history=history, limit=limit, diagram=diagram)


def _alone(shown: Any, cards: Sequence[str] | None) -> Page | None:
    """Return the page of an answer that is not about strategies of a tree: a spot, a tournament, iterative runs.

    A stored spot is evaluated afresh.
    """
    from equiform.api.pages import TOURNAMENT, is_run, runs_page, tournament_page

    if isinstance(shown, SpotSolution):
        return shown.view(cards)
    if cards is None and isinstance(shown, IterativeResult):
        return runs_page(shown.to_dict(), shown.game)
    if not isinstance(shown, str | Path) or not str(shown).lower().endswith(".json"):
        return None
    document = read_json(shown, "the file to view", fix="write it with `equiform solve --out`")
    if not isinstance(document, dict):
        return None
    if document.get("format") == SPOT_FORMAT:
        return read_solution(shown).view(cards)
    if cards is not None:
        return None
    if document.get("format") == TOURNAMENT:
        return tournament_page(document, str(shown))
    return runs_page(document, str(shown)) if is_run(document) else None


def _answer(shown: Answer | GameLike, game: GameLike | None, exact: bool) -> Answer:
    if isinstance(shown, Solved | GeneralSumSolved | Verification):
        return shown
    if isinstance(shown, str | Path) and str(shown).lower().endswith(".json"):
        document = read_json(shown, "the file to view", fix="write it with `equiform solve --out`")
        if isinstance(document, dict) and ("strategies" in document or document.get("format") == FORMAT):
            return _from_file(Path(shown), document, game)
    if game is not None:
        raise FormatError(
            "no strategies are found there",
            where=str(shown)[:100],
            fix="name a file that `equiform solve --out` has written, or view the game itself",
        )
    return solve(shown, exact=exact)


def _from_file(path: Path, document: dict[str, Any], game: GameLike | None) -> Verification:
    """Read a stored profile and evaluate it afresh: what a file claims about itself is not shown."""
    if game is None:
        game = document.get("game")
        # a strategy file of somebody else must not decide which program is imported
        if not isinstance(game, str) or ".py:" in game.lower():
            raise ParameterError(
                f"the file names the game {game!r}, which is not loaded from there"[:200],
                where=str(path),
                fix="say which game it is: game=… (--game GAME)",
            )
    loaded = as_game(game)
    if "strategies" not in document:
        return verify(path, loaded)
    tables = document["strategies"]
    if not isinstance(tables, dict) or set(tables) != {t.player for t in loaded.treeplexes}:
        raise FormatError(
            "the file does not hold one strategy per player", where=str(path), fix="use the file of this very game"
        )
    return verify([Strategy.from_table(t, tables[t.player]) for t in loaded.treeplexes], loaded)


def _answer_against(other: Answer | str | Path | Sequence[Strategy], game: Game) -> Answer:
    if isinstance(other, Solved | GeneralSumSolved | Verification):
        return other
    return _answer(other, game, False) if isinstance(other, str | Path) else verify(other, game)


def _strategies(answer: Answer) -> tuple[Strategy, ...]:
    return answer.profile if isinstance(answer, Verification) else answer.strategies


def _same_decisions(first: Sequence[Strategy], second: Sequence[Strategy]) -> bool:
    def decisions(strategy: Strategy) -> Any:
        t = strategy.treeplex
        return [(t.infoset_label(h), tuple(t.actions[h])) for h in range(t.num_infosets)]

    return [decisions(s) for s in first] == [decisions(s) for s in second]


def shown_profile(answer: Answer) -> ShownProfile:
    """Return a profile with its proof, and with what the proof leaves open."""
    from equiform.viewer import ShownProfile

    proof = {
        k: v for k, v in answer.to_dict().items() if k not in ("strategies", "unreached", "residuals", "tolerance")
    }
    proof["witness"] = answer.certificate.witness
    if isinstance(answer, Solved):
        title = f"{answer.result.concept} by {answer.result.backend}" + (", exact" if answer.exact else "")
    elif isinstance(answer, GeneralSumSolved):
        title = f"mip-nash by {answer.solution.backend}"
    else:
        title = Path(answer.file).name if answer.file else "given profile"
    return ShownProfile(title, tuple(_strategies(answer)), proof, tuple(_unproved(answer)))


def _unproved(answer: Answer) -> list[str]:
    certificate, strategies = answer.certificate, _strategies(answer)
    found = []
    if getattr(answer, "exact", None) is None:
        found.append("Exactness: payoffs and gains are computed in floating-point numbers, not in rational ones.")
    if certificate.witness == "operator":
        found.append("The game exists as a payoff operator only, so the profile is evaluated through that operator.")
    if certificate.bracket is None:
        found.append("A value: the game is not a two-player zero-sum game, and other equilibria may pay differently.")
    off_path = sum(int((~s.reached).sum()) for s in strategies)
    if off_path:
        found.append(
            f"Play at {off_path:,} information set{'s' if off_path > 1 else ''} that a player's own earlier moves rule "
            "out: an equilibrium says nothing about it."
        )
    if certificate.nash_conv > TOLERANCE:
        return [*found, "An equilibrium: somebody gains by deviating, as the badge says."]
    return [*found, "Uniqueness: there may be other equilibria."]
