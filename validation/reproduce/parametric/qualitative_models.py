r"""Which qualitative models does the limit river game need (Ganzfried 2015, §11.8.2 and chapter 16, questions 16–17)?

Models are read from a few solved instances and tried on fresh random pairs of distributions, with the thesis's own
three models beside them. Pairs are drawn as elsewhere: four equally long pieces, masses from a flat Dirichlet
distribution, one seed per pair. The stored run is made by running this module.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from equiform.formulations.parametric.inferred_models import Coverage, FoundModel, cover, infer_models, read_instance
from equiform.games.poker.signal_games import limit_river, limit_river_models
from equiform.models.common.files import write_text
from equiform.models.signals.cdf import PiecewiseLinearCdf
from equiform.models.signals.deals import Signals
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import SignalGame

POT = 4
PIECES = 4
#: Seeds of the instances that models are read from, apart from those of the inputs that they are tried on.
TRAINING = range(10_000, 10_032)
INPUTS = range(500)
CELLS = 20
#: Lower signals win: value first, bluffs last; player 2's bluff raises next to the weakest calls.
PATTERNS = (
    ("BET-CALL", "BET-FOLD", "CHECK-CALL", "CHECK-FOLD", "BET-FOLD"),
    ("RAISE/BET", "CALL/BET", "CALL/CHECK", "RAISE/CHECK", "FOLD/CHECK", "FOLD/BET"),
)
STORED = Path(__file__).with_name("qualitative_models.json")


def river(signals: Signals) -> SignalGame:
    """Return the river game for given signals."""
    return limit_river(POT, signals=signals)


def pair(seed: int) -> Signals:
    """Draw a pair of distributions."""
    rng = np.random.default_rng(seed)
    return Signals.continuous(*(PiecewiseLinearCdf.random(rng, PIECES) for _ in range(2)))


def find_models(seeds: Iterable[int] = TRAINING, cells: int = CELLS) -> list[FoundModel]:
    """Read models from solved instances, the most frequent first."""
    return infer_models(read_instance(river, pair(seed), PATTERNS, cells=cells) for seed in seeds)


def try_models(models: Sequence[ParametricModel], seeds: Sequence[int]) -> Coverage:
    """Count which of the models fits each input first."""
    return cover(river, models, [pair(seed) for seed in seeds])


@cache
def stored() -> tuple[list[ParametricModel], dict[str, Coverage]]:
    """Return the models found and the coverage of the stored run."""
    document = json.loads(STORED.read_text(encoding="utf-8"))
    models = [
        ParametricModel(m["name"], _pairs(m["regions"]), _pairs(m["thresholds"]), frozenset(_pairs(m["order"])))
        for m in document["models"]
    ]
    return models, {name: Coverage(**row) for name, row in document["coverage"].items()}


def _pairs(lists: Any) -> Any:
    return tuple(tuple(part) for part in lists)


def main(arguments: Sequence[str]) -> None:
    """Run everything and store it; an argument takes only so many inputs."""
    inputs = INPUTS[: int(arguments[0])] if arguments else INPUTS
    found = find_models()
    tried = {"found": [f.model for f in found], "thesis": list(limit_river_models())}
    store(found, {name: try_models(models, inputs) for name, models in tried.items()})


def store(found: Sequence[FoundModel], coverage: Mapping[str, Coverage]) -> None:
    """Write a run."""
    models = [
        {
            "name": f.model.name,
            "instances": f.instances,
            "regions": f.model.regions,
            "thresholds": f.model.thresholds,
            "order": sorted(f.model.order),
        }
        for f in found
    ]
    rows = {
        name: {"inputs": c.inputs, "covered": dict(c.covered), "largest_gain": c.largest_gain}
        for name, c in coverage.items()
    }
    document = {"models": models, "coverage": rows}
    write_text(STORED, json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
