"""Draw the pictures of the README: ``python docs/make_pictures.py``."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import equiform

HERE = Path(__file__).parent / "_static"


def one_card(cards: int = 100) -> None:
    solved = equiform.solve(f"one-card:cards={cards}", concept="une")
    tables = [s.table() for s in solved.strategies]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3), sharey=True, layout="constrained")
    panels = (
        ("player 1", (("to open", "bet"), ("after check–bet", "call"))),
        ("player 2", (("after check", "bet"), ("after bet", "call"))),
    )
    for axis, table, (title, situations) in zip(axes, tables, panels, strict=True):
        for situation, action in situations:
            shares = [table[f"holding {card}, {situation}"][action] for card in range(1, cards + 1)]
            axis.plot(np.arange(1, cards + 1), shares, drawstyle="steps-mid", label=f"{action} {situation}")
        axis.set(title=title, xlabel="card")
        axis.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=2)
    axes[0].set_ylabel("probability")
    figure.savefig(HERE / "one_card.png", dpi=110)


if __name__ == "__main__":
    one_card()
