"""Several iterative algorithms and the linear program side by side on one game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from equiform import api
from equiform.models.common.html import html_rows
from equiform.runs.progress import Listener, silent
from equiform.solvers_iterative.plots import convergence_plot
from equiform.solvers_iterative.progress import IterativeResult, Until
from equiform.solvers_iterative.registry import create, seeded_options

if TYPE_CHECKING:
    from equiform.models.common.pictures import Picture
    from equiform.viewer import RunsExplorer

#: The name under which the linear program takes part.
PROGRAM = "lp"


@dataclass(frozen=True)
class ProgramRow:
    """What the linear program took and reached."""

    seconds: float
    exploitability: float
    value: float

    def to_dict(self) -> dict[str, float]:
        """Return plain data for JSON."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Comparison:
    """How algorithms fared on one game."""

    game: str
    until: Until
    program: ProgramRow | None
    results: Mapping[str, IterativeResult] = field(repr=False)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it; the algorithms after that one are missing."""
        return any(r.stopped_by == "interrupt" for r in self.results.values())

    def plot(self) -> Picture:
        """Draw exploitability against seconds and against iterations."""
        histories = {name: result.history for name, result in self.results.items()}
        return convergence_plot(
            histories, title=self.game, lp_seconds=None if self.program is None else self.program.seconds
        )

    def view(self) -> RunsExplorer:
        """Return a page to explore the runs: charts of their convergence and every measurement."""
        from equiform.api.pages import runs_page

        return runs_page(self.to_dict(), self.game)

    def _repr_html_(self) -> str:
        rows = [
            (name, f"{r.exploitability:.3g}", f"{r.checkpoint.iteration:,} iterations", f"{r.checkpoint.seconds:.3g} s")
            for name, r in self.results.items()
        ]
        if self.program is not None:
            found = self.program
            rows.insert(0, (PROGRAM, f"{found.exploitability:.3g}", "linear program", f"{found.seconds:.3g} s"))
        shown = [(row, True) for row in rows]
        return html_rows(f"Exploitability on {self.game}", shown, "Explore it: _.view()")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "game": self.game,
            "until": asdict(self.until),
            "lp": None if self.program is None else self.program.to_dict(),
            "algorithms": {name: result.to_dict() for name, result in self.results.items()},
        }


def compare(
    game: Any, algorithms: Sequence[str], until: Until, *, seed: int = 0, threads: int = 1, progress: Listener = silent
) -> Comparison:
    """Run algorithms one after another on a game; ``lp`` among them is the linear program.

    >>> found = compare("kuhn", ["lp", "cfr+"], Until(gap=1e-2))
    >>> round(found.program.value, 4), found.results["cfr+"].stopped_by
    (-0.0556, 'gap')
    """
    loaded = api.as_game(game)
    names = [name for name in algorithms if name != PROGRAM]
    solvers = {name: create(name, loaded, **seeded_options(name, {}, seed=seed, threads=threads)) for name in names}
    program = None
    if PROGRAM in algorithms:
        solved = api.solve(loaded)
        program = ProgramRow(solved.seconds["program"], solved.certificate.exploitability, float(solved.value))
    results: dict[str, IterativeResult] = {}
    for name, solver in solvers.items():
        results[name] = solver.run(until, progress=progress)
        if results[name].stopped_by == "interrupt":
            break
    return Comparison(game if isinstance(game, str) else loaded.name, until, program, results)
