"""DBBR beside the equilibrium: win rates against static opponents, as in Table 12.1, in games that fit on a page.

The thesis plays full limit hold'em; here Kuhn poker, Leduc hold'em and a Leduc of six ranks stand for small, medium and
larger games. Figures are expectations of what was played, in chips a hand, with 95% intervals over matches.

Run it with ``python -m equiform.play.dbbr_table OUT.json``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from equiform.models.files import write_text
from equiform.play.match import MatchResult, MatchSpec, play_match

AGENTS = ("equilibrium", "dbbr-ws", "dbbr-l1", "dbbr-l2")
OPPONENTS = ("random", "sophisticated", "always-fold", "always-call", "always-raise")
GAMES = ("kuhn", "leduc", "leduc:ranks=6")


def play_table(
    games: Iterable[str] = GAMES,
    *,
    hands: int = 1000,
    opponents: int = 60,
    seed: int = 1,
    agents: Iterable[str] = AGENTS,
    kinds: Iterable[str] = OPPONENTS,
    checkpoint: str | Path | None = None,
    done: Callable[[MatchResult], None] | None = None,
) -> list[MatchResult]:
    """Play the table; the opponents' cards are never shown."""
    results = []
    agents, kinds = tuple(agents), tuple(kinds)
    for game in games:
        for kind in kinds:
            for agent in agents:
                spec = MatchSpec(game, agent, kind, hands, opponents, seed, showing="hidden")
                results.append(play_match(spec, checkpoint=checkpoint))
                if done is not None:
                    done(results[-1])
    return results


def main(arguments: list[str] | None = None) -> None:
    """Play the table and write it as JSON after every cell."""
    parser = argparse.ArgumentParser(description="Play DBBR and the equilibrium against static opponents.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--games", nargs="+", default=list(GAMES))
    parser.add_argument("--opponents", type=int, default=60)
    parser.add_argument("--hands", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--checkpoint", type=Path, default=None, help="folder of finished matches; beside OUT by default"
    )
    asked = parser.parse_args(arguments)
    started = time.perf_counter()
    cells: list[dict[str, Any]] = []

    def done(result: MatchResult) -> None:
        cells.append({"game": result.spec.game, **result.summary()})
        seconds = round(time.perf_counter() - started, 1)
        write_text(asked.out, json.dumps({"table": "dbbr", "seconds": seconds, "cells": cells}, indent=1) + "\n")

    play_table(
        asked.games,
        hands=asked.hands,
        opponents=asked.opponents,
        seed=asked.seed,
        checkpoint=asked.checkpoint or asked.out.with_suffix(".chunks"),
        done=done,
    )


if __name__ == "__main__":
    main()
