"""The stored experiment on re-solving Leduc: sixty blueprints, and what is claimed of them."""

from __future__ import annotations

from equiform.validation.reproduce.endgames.resolving import COUNT, RANKS
from equiform.validation.reproduce.runner import published


def test_safe_methods_are_never_worse_and_unsafe_is() -> None:
    outcome = published("resolving", False)
    assert outcome is not None
    places = {f"{ranks} ranks, player {p}" for ranks in RANKS for p in (1, 2)}
    cells = {(c.row, c.column): c for c in outcome.cells}
    assert {column for _, column in cells} == places
    for place in places:
        for method in ("re-solve gadget", "max-margin"):
            for row in (f"{method}: worse, in rationals", f"{method}: worse than the blueprint"):
                assert cells[row, place].ours == 0 and cells[row, place].note == f"of {COUNT}"
        # no method does better than all endgames in one program, blueprint by blueprint and so on average
        best = cells["joint", place].ours
        assert all(c.ours >= best for (row, column), c in cells.items() if column == place and ":" not in row)
        assert cells["unsafe: worse than the blueprint", place].ours > 0
