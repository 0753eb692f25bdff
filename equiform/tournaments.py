"""Tournaments from the outside: push-or-fold charts with their proof, and whole endgames with theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from equiform.games.tournament.deals import holdem_counts, holdem_deals
from equiform.games.tournament.game import jam_fold_tournament
from equiform.games.tournament.histories import DECISIONS
from equiform.games.tournament.push_fold import PushFold
from equiform.games.tournament.structure import Tournament
from equiform.models.common.arguments import require_name
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import SolveError
from equiform.models.common.html import html_facts
from equiform.models.strategy import Strategy
from equiform.runs.progress import Listener, silent
from equiform.solvers_iterative.progress import Until
from equiform.solvers_iterative.stochastic import ALGORITHMS
from equiform.validation.certificates.push_fold import PushFoldCertificate, certify_push_fold
from equiform.validation.certificates.tournament import TournamentCertificate, certify_tournament

if TYPE_CHECKING:
    from equiform.models.common.pictures import Picture
    from equiform.viewer import TournamentExplorer


@dataclass(frozen=True, eq=False)
class PushFoldSolution:
    """Charts of jamming and calling, and what they are proved to be worth."""

    game: PushFold
    method: str
    value: float
    jam: FloatArray = field(repr=False)
    call: FloatArray = field(repr=False)
    certificate: PushFoldCertificate

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        from equiform.games.cards.charts import starting_hands

        names = starting_hands()
        return {
            "stack": str(self.game.stack),
            "small_blind": str(self.game.small_blind),
            "ante": str(self.game.ante),
            "method": self.method,
            "value": self.value,
            "certificate": self.certificate.to_dict(),
            "jam": dict(zip(names, self.jam.tolist(), strict=True)),
            "call": dict(zip(names, self.call.tolist(), strict=True)),
        }

    def plot(self) -> Picture:
        """Draw both charts side by side."""
        return draw_charts([("small blind jams", self.jam), ("big blind calls", self.call)])


def solve_push_fold(
    game: PushFold, *, method: str = "lp", backend: str = "highs", gap: float = 1e-7
) -> PushFoldSolution:
    """Solve heads-up push or fold and prove the charts.

    Parameters
    ----------
    game
        Stack, small blind and ante in big blinds.
    method
        ``"lp"`` (the sequence-form program) or an iterative algorithm (``"cfr+"``, …), which stops at ``gap``.
    backend
        The solver of the program.
    """
    form = game.sequence_form()
    strategies: tuple[Strategy | None, ...]
    if method == "lp":
        from equiform.formulations.optimization.options import SolverOptions
        from equiform.formulations.zero_sum import sequence_form_lp

        strategies = sequence_form_lp.solve(form, solver=SolverOptions(backend=backend)).require_optimal().strategies
    else:
        from equiform.solvers_iterative import create

        strategies = create(method, form).run(Until(gap=gap, iterations=200_000)).strategies
    if len(strategies) != 2 or any(s is None for s in strategies):
        raise SolveError("no strategies for both players", where=method, fix="use lp with highs, or cfr+")
    jam, call = (np.clip(s.floats[1::2], 0.0, 1.0) for s in strategies if s is not None)
    proof = certify_push_fold(game, jam, call)
    return PushFoldSolution(game, method, 0.5 * (proof.lower + proof.upper), jam, call, proof)


@dataclass(frozen=True, eq=False)
class TournamentSolution:
    """Values and strategies of all states, with the certificate of the ex post check."""

    tournament: Tournament
    algorithm: str
    iterations: int
    seconds: float
    stopped_by: str
    profile: tuple[FloatArray, ...] = field(repr=False)
    certificate: TournamentCertificate
    history: tuple[tuple[int, float, float], ...] = field(default=(), repr=False)
    """Convergence: iterations, seconds, and the solver's own ε in the units of the prizes."""

    @property
    def values(self) -> FloatArray:
        """The value of every state and seat, from the independent check."""
        return self.certificate.values

    def charts(self, stacks: Sequence[int]) -> dict[str, FloatArray]:
        """Return the jamming probabilities of every decision at the given stacks, by the name of the decision."""
        state = self.tournament.state_index(stacks)
        found: dict[str, FloatArray] = {}
        for names, strategy in zip(DECISIONS[self.tournament.players], self.profile, strict=True):
            table = strategy.reshape(len(self.certificate.values), len(names), -1)[state]
            found |= dict(zip(names, table, strict=True))
        return found

    def document(self) -> dict[str, Any]:
        """Return what a file of the answer holds: plain values, and the charts of all stacks in ten-thousandths."""
        from equiform.api.pages import TOURNAMENT
        from equiform.viewer.document import packed
        from equiform.viewer.tournament import WHOLE

        states = len(self.certificate.values)
        charts = np.concatenate([np.asarray(p).reshape(states, -1) for p in self.profile], axis=1)
        whole = np.clip(np.rint(charts * WHOLE), 0, WHOLE).astype(np.int16)
        return {"format": TOURNAMENT, **self.to_dict(), "charts": packed(whole.ravel())}

    def view(self) -> TournamentExplorer:
        """Return a page to explore the answer: values beside ICM for all stacks, and the charts there."""
        from equiform.api.pages import tournament_page

        return tournament_page(self.document(), "the tournament")

    def _repr_html_(self) -> str:
        game = self.tournament
        facts = {
            "chips": f"{game.chips:,}, blinds {game.small_blind:,}/{game.big_blind:,}, {game.players} players",
            "states": f"{len(self.values):,}",
            "solved by": f"{self.algorithm}, {self.iterations:,} iterations, stopped by {self.stopped_by}",
            "ε, checked ex post": f"{self.certificate.epsilon:.3g}",
            "mean distance from ICM": f"{np.abs(self.icm_deviations()).mean():.3g}",
        }
        return html_facts("Tournament", facts, "Explore it: _.view()")

    def icm_deviations(self) -> FloatArray:
        """Return how far the values are from ICM, by state and seat."""
        return self.values - self.tournament.icm_values()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        states = [self.tournament.state_name(s) for s in range(len(self.values))]
        deviations = self.icm_deviations()
        state, seat = np.unravel_index(int(np.abs(deviations).argmax()), deviations.shape)
        return {
            "tournament": self.tournament.to_dict(),
            "algorithm": self.algorithm,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "stopped_by": self.stopped_by,
            "certificate": self.certificate.to_dict(),
            "icm": {
                "mean_deviation": float(np.abs(deviations).mean()),
                "largest": {
                    "stacks": states[int(state)],
                    "seat": self.tournament.seats[int(seat)],
                    "value": float(self.values[state, seat]),
                    "icm": float(self.values[state, seat] - deviations[state, seat]),
                },
            },
            "convergence": [list(point) for point in self.history],
            "values": dict(zip(states, self.values.tolist(), strict=True)),
        }


def solve_tournament(
    tournament: Tournament,
    until: Until,
    *,
    algorithm: str = "interleaved",
    checkpoint_every: int = 40,
    state_file: str | Path | None = None,
    progress: Listener = silent,
    **options: Any,
) -> TournamentSolution:
    """Solve a jam-or-fold tournament from ICM values, and check the result ex post.

    Parameters
    ----------
    tournament
        Chips, blinds, prizes and conventions.
    until
        When to stop; ``gap`` is the solver's own ε, in the units of the prizes.
    algorithm
        One of :data:`equiform.solvers_iterative.stochastic.ALGORITHMS`; ``options`` go to it.
    state_file
        Save the run here, and continue from it if it exists.
    """
    require_name(algorithm, ALGORITHMS, "algorithm", "tournament")
    deals = holdem_deals(tournament.players)
    game = jam_fold_tournament(tournament, deals)
    solver = ALGORITHMS[algorithm](game, values=tournament.icm_values(), **options)
    if state_file is not None and Path(state_file).exists():
        solver.load(state_file)
    result = solver.run(until, checkpoint_every=checkpoint_every, save_to=state_file, progress=progress)
    profile = solver.profile
    certificate = certify_tournament(tournament, holdem_counts(tournament.players), profile)
    history = tuple((c.iteration, c.seconds, c.exploitability) for c in result.history)
    return TournamentSolution(
        tournament, algorithm, solver.iteration, solver.seconds, result.stopped_by, profile, certificate, history
    )


def draw_charts(charts: Sequence[tuple[str, FloatArray]]) -> Picture:
    """Draw charts of probabilities side by side, two in a row."""
    from equiform.games.cards.charts import draw_chart
    from equiform.models.common.pictures import Picture

    columns = min(2, len(charts))
    rows = -(-len(charts) // columns)
    picture = Picture(figsize=(8 * columns, 8 * rows), layout="constrained")
    axes = picture.subplots(rows, columns, squeeze=False)
    for (title, probabilities), ax in zip(charts, axes.ravel(), strict=False):
        draw_chart(probabilities, ax=ax, title=title, text="{name}\n{value:.2g}")
    for ax in axes.ravel()[len(charts) :]:
        ax.axis("off")
    return picture
