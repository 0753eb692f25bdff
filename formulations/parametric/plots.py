"""Pictures of parametric models, as Figures 11.3–11.6 and 11.9; matplotlib is loaded only here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equiform.models.signals.conditional import UNREACHED, conditional
from equiform.models.signals.threshold_profile import ThresholdProfile

if TYPE_CHECKING:
    from equiform.models.common.pictures import Picture

_COLORS = ("#cfe3f5", "#fbe3c0", "#d6efd2", "#f6d0d3", "#e4d9f2", "#f3efc0", "#d5eeee", "#e8e0d8")


def draw_regions(profile: ThresholdProfile, *, by_situation: bool = False) -> Picture:
    """Draw the players side by side, regions as boxes with their plans, thresholds with names and values.

    ``by_situation`` draws one column per betting situation instead (the conditional representation of Figure 11.9).
    """
    from equiform.models.common.pictures import Picture

    columns = _columns(profile, by_situation)
    figure = Picture(figsize=(1.2 + 2.0 * len(columns), 5.2), layout="constrained")
    axes = figure.subplots()
    bottom, top = float(profile.game.signals.edges[0]), float(profile.game.signals.edges[-1])
    color_of: dict[str, str] = {}
    placed = profile.signals
    for at, (title, plans, names) in enumerate(columns):
        bounds = [bottom, *(placed[name] for name in names), top]
        for plan, low, high in zip(plans, bounds, bounds[1:], strict=False):
            color = color_of.setdefault(plan, _COLORS[len(color_of) % len(_COLORS)])
            axes.bar(at, high - low, width=0.6, bottom=low, color=color, edgecolor="black", linewidth=0.8)
            if high - low > 0.025 * (top - bottom):
                axes.text(at, (low + high) / 2, plan, ha="center", va="center", fontsize=8)
        heights = _apart([placed[name] for name in names], 0.028 * (top - bottom))
        for name, height in zip(names, heights, strict=True):
            axes.text(at + 0.33, height, f"{name} = {placed[name]:.3g}", ha="left", va="center", fontsize=7)
        axes.text(at, top + 0.02 * (top - bottom), title, ha="center", va="bottom", fontsize=9)
    axes.set_xlim(-0.6, len(columns) - 0.1)
    axes.set_ylim(bottom, top + 0.14 * (top - bottom))
    axes.set_xticks([])
    axes.set_ylabel("signal (lower is better)" if profile.game.lower_wins else "signal (higher is better)")
    axes.set_title(f"{profile.game.name}: {profile.model.name}", fontsize=10)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    return figure


def _apart(heights: list[float], gap: float) -> list[float]:
    """Move labels up so that neighbours do not overlap."""
    moved: list[float] = []
    for height in heights:
        moved.append(max(height, moved[-1] + gap) if moved else height)
    return moved


def _columns(profile: ThresholdProfile, by_situation: bool) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    model, players = profile.model, profile.game.players
    if not by_situation:
        return [(players[p], model.regions[p], model.thresholds[p]) for p in range(len(players))]
    found = []
    for column in conditional(profile.game, model).columns:
        if set(column.actions) != {UNREACHED}:
            after = f"\nafter {' '.join(column.history)}" if column.history else "\nto open"
            found.append((players[column.player] + after, column.actions, column.thresholds))
    return found
