"""Qualitative models read from solved instances, and what they cover."""

from __future__ import annotations

import pytest

from equiform.formulations.parametric.inferred_models import ReadInstance, infer_models, read_instance
from equiform.games.poker.signal_games import bet_or_check, bet_or_check_model, limit_river_models
from equiform.models.common.errors import ParameterError
from equiform.models.signals.deals import uniform_signals
from equiform.validation.reproduce.parametric.qualitative_models import PATTERNS, pair, river, stored, try_models
from tests.helpers.refusals import refusal


def test_the_thesis_s_example_is_read_off() -> None:
    """§11.3: bet the best and the worst signals, call the better ones."""
    patterns = (("BET", "CHECK", "BET"), ("CALL", "FOLD"))
    instance = read_instance(lambda s: bet_or_check(1, signals=s), uniform_signals(), patterns, cells=18)
    assert instance.regions == bet_or_check_model().regions
    assert instance.cuts[0] == pytest.approx((2 / 9, 8 / 9), abs=0.06)
    assert instance.cuts[1] == pytest.approx((4 / 9,), abs=0.06)
    (found,) = infer_models([instance])
    assert found.model.precedes.tolist() == bet_or_check_model().precedes.tolist()


def test_only_what_all_instances_agree_on_is_kept() -> None:
    same = (("A", "B"), ("C", "D"))
    one, two = ReadInstance(same, ((0.2,), (0.6,))), ReadInstance(same, ((0.7,), (0.3,)))
    other = ReadInstance((("A",), ("C", "D")), ((), (0.5,)))
    found = infer_models([one, other, two])
    assert [f.instances for f in found] == [2, 1]
    assert found[0].model.order == frozenset()
    assert infer_models([one])[0].model.order == {("a1", "b1")}


def test_thresholds_are_ordered_only_where_they_lie_apart() -> None:
    instance = ReadInstance((("A", "B", "A"), ("C", "D")), ((0.3, 0.55), (0.5,)))
    for margin, order in (
        (0.1, {("a1", "b1")}),
        (0.2, {("a1", "b1")}),
        (0.25, set()),
        (0.0, {("a1", "b1"), ("b1", "a2")}),
    ):
        assert infer_models([instance], margin=margin)[0].model.order == order


def test_a_river_instance_and_the_models_of_the_thesis() -> None:
    instance = read_instance(river, pair(2), PATTERNS, cells=12)
    for own, pattern in zip(instance.regions, PATTERNS, strict=True):
        places = iter(pattern)
        assert all(plan in places for plan in own)  # a subsequence
    covered = try_models(limit_river_models(), [2])
    assert covered.share == 1 and covered.largest_gain < 1e-6


def test_the_stored_run() -> None:
    models, coverage = stored()
    assert set(coverage) == {"found", "thesis"}
    for row in coverage.values():
        assert row.inputs >= 500 and row.largest_gain < 1e-6
    assert set(coverage["found"].covered) == {m.name for m in models}


@pytest.mark.slow
def test_a_part_of_the_stored_run_again() -> None:
    models, coverage = stored()
    again = try_models(models, range(20))
    assert again.share >= 0.9
    assert all(again.covered[name] <= coverage["found"].covered[name] for name in again.covered)


def test_too_few_signals() -> None:
    refusal(ParameterError, lambda: read_instance(river, pair(1), PATTERNS, cells=2), "cells is 2")
