"""A patient loop returns the same bits interpreted and compiled, and is compiled once it has had enough to do."""

from __future__ import annotations

import numpy as np
import pytest

import equiform
import equiform.models.evaluation as evaluation_module
import equiform.models.treeplex as treeplex_module
from equiform.models.common import patient
from equiform.models.common.array_types import FloatArray
from equiform.models.evaluation import evaluate
from equiform.models.extensive import ExtensiveGame


@pytest.fixture
def unspent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient, "_spent", 0)


@pytest.mark.usefixtures("unspent")
def test_a_loop_is_compiled_after_its_patience() -> None:
    @patient.patient_jit
    def total(values: FloatArray) -> float:
        found = 0.0
        for k in range(len(values)):
            found += values[k]
        return found

    values = np.full(patient.PATIENCE, 0.1)
    interpreted = total(values)
    assert total.compiled is None  # type: ignore[attr-defined]
    assert total(values) == interpreted
    assert total.compiled is not None  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["kuhn", "leduc", "random:seed=5,depth=6"])
def test_interpreted_and_compiled_loops_agree_to_the_bit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = equiform.load_game(name)
    assert isinstance(game, ExtensiveGame)
    rng = np.random.default_rng(3)
    found = []
    draws = [rng.random(t.num_sequences) for t in game.treeplexes]
    for patience in (10**9, -1):
        monkeypatch.setattr(patient, "PATIENCE", patience)
        monkeypatch.setattr(patient, "_spent", 0)
        for loop in ("_realization", "_behavior", "_best_value", "_best_response", "_best_behavior"):
            monkeypatch.setattr(getattr(treeplex_module, loop), "compiled", None)
        monkeypatch.setattr(evaluation_module._sweep, "compiled", None)
        behaviors = [t.behavior(d) for t, d in zip(game.treeplexes, draws, strict=True)]
        judged = evaluate(game, behaviors)
        plans = [t.realization(b) for t, b in zip(game.treeplexes, behaviors, strict=True)]
        answers = [t.best_response(d) for t, d in zip(game.treeplexes, draws, strict=True)]
        found.append([*behaviors, *plans, *(a.plan for a in answers), [a.value for a in answers], judged.payoffs])
    for interpreted, compiled in zip(*found, strict=True):
        assert np.array_equal(interpreted, compiled)
