"""The seven mappings: published values, the defining equation, and how bets are read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiform.abstraction.actions import action_abstraction, desiderata, translated_strategy, translation_tree
from equiform.abstraction.actions.translation import (
    DET_ARITH,
    DET_GEO,
    MAPPINGS,
    RAND_ARITH,
    RAND_GEO_1,
    RAND_GEO_2,
    RAND_PSHAR,
    Ties,
    TranslationMapping,
    by_name,
    read_bets,
)
from equiform.games import KuhnNoLimit
from equiform.models.common.errors import ParameterError

# Thesis, Table 7.1: B = 1, x = 0.25, A = 0, 0.001, 0.01, 0.05, 0.1.
TABLE_7_1 = {
    "Rand-Arith": (0.75, 0.751, 0.758, 0.789, 0.833),
    "Rand-Geo-1": (0, 0.012, 0.111, 0.429, 0.667),
    "Rand-Geo-2": (0, 0.015, 0.131, 0.439, 0.641),
    "Rand-psHar": (0.6, 0.601, 0.612, 0.663, 0.733),
}

sizes = st.floats(0.001, 100)


@st.composite
def brackets(draw: st.DrawFn) -> tuple[float, float, float]:
    low = draw(st.floats(0.001, 50))
    high = low + draw(st.floats(0.01, 50))
    return low, high, low + draw(st.floats(0, 1)) * (high - low)


@pytest.mark.parametrize(("name", "printed"), TABLE_7_1.items())
def test_table_7_1(name: str, printed: tuple[float, ...]) -> None:
    ours = by_name(name).probability([0, 0.001, 0.01, 0.05, 0.1], 1, 0.25)
    assert np.abs(ours - printed).max() <= 0.0005 + 1e-12


@pytest.mark.parametrize(
    ("mapping", "median"), [(RAND_ARITH, 0.505), (RAND_GEO_1, 0.1), (RAND_GEO_2, 0.1), (RAND_PSHAR, 1.03 / 3.01)]
)
def test_medians_of_figure_7_1(mapping: TranslationMapping, median: float) -> None:
    assert float(mapping.median(0.01, 1.0)) == pytest.approx(median)
    assert float(mapping.probability(0.01, 1.0, median)) == pytest.approx(0.5)


@given(brackets())
def test_every_mapping_gives_a_probability_and_keeps_the_boundaries(triple: tuple[float, float, float]) -> None:
    A, B, x = triple
    for mapping in MAPPINGS:
        f = mapping.probability(A, B, [A, x, B])
        assert ((f >= -1e-12) & (f <= 1 + 1e-12)).all()
        assert f[0] == pytest.approx(1)
        assert f[2] == pytest.approx(0)


@given(brackets())
def test_pseudo_harmonic_keeps_the_calling_frequency_of_the_clairvoyance_game(
    triple: tuple[float, float, float],
) -> None:
    A, B, x = triple
    f = float(RAND_PSHAR.probability(A, B, x))
    assert f / (1 + A) + (1 - f) / (1 + B) == pytest.approx(1 / (1 + x), abs=1e-12)


@given(brackets())
def test_deterministic_is_the_rounding_of_randomised(triple: tuple[float, float, float]) -> None:
    A, B, x = triple
    for det, rand in ((DET_ARITH, RAND_ARITH), (DET_GEO, RAND_GEO_1), (by_name("Det-psHar"), RAND_PSHAR)):
        f = float(rand.probability(A, B, x))
        if abs(f - 0.5) > 1e-6:
            assert float(det.probability(A, B, x)) == float(f > 0.5)


def test_ties_go_where_they_are_told() -> None:
    assert DET_ARITH.probability(0, 1, 0.5).item() == 0.0  # the thesis's text: "otherwise x is mapped to B"
    assert DET_ARITH.probability(0, 1, 0.5, ties=Ties.LOWER).item() == 1.0
    # 0.1 · 7 is not 0.7 in binary; it is a tie all the same
    assert DET_ARITH.probability(0.4, 1.0, 0.1 * 7, ties=Ties.LOWER).item() == 1.0


def test_geometric_mappings_never_read_a_bet_as_a_check() -> None:
    for mapping in (DET_GEO, RAND_GEO_1, RAND_GEO_2):
        assert mapping.probability(0, 1, [0, 0.01, 0.5, 1]).tolist() == [0, 0, 0, 0]


def test_amounts_are_measured_in_pots() -> None:
    for mapping in MAPPINGS:
        in_chips = mapping.probability(5_000, 17_500, 10_000, pot=5_000)
        assert in_chips == pytest.approx(mapping.probability(1, 3.5, 2))


def test_reading_bets() -> None:
    reading = read_bets(RAND_ARITH, [0, 1, 5], [0, 0.5, 1, 3, 5, 9])
    assert reading.expected([10.0, 20.0, 40.0]).tolist() == [10, 15, 20, 30, 40, 40]
    draws = np.stack([reading.draw(np.random.default_rng(seed)) for seed in range(400)])
    assert set(draws[:, 1]) == {0, 1}
    assert set(draws[:, 2]) == {1}
    assert abs((draws[:, 1] == 0).mean() - 0.5) < 0.1  # four standard errors


def test_on_tree_bets_survive_rounding() -> None:
    reading = read_bets(RAND_GEO_1, [0.0, 0.3, 1.0], [0.1 * 3])
    assert reading.lower.tolist() == reading.upper.tolist() == [1]


@pytest.mark.parametrize(("A", "B", "x"), [(1, 1, 1), (2, 1, 1.5), (0, 1, 2), (-1, 1, 0)])
def test_nonsense_is_refused(A: float, B: float, x: float) -> None:
    with pytest.raises(ParameterError, match="0 <= A <= x <= B"):
        RAND_ARITH.probability(A, B, x)


def test_bad_sizes_bets_and_names_are_refused() -> None:
    with pytest.raises(ParameterError, match="must increase"):
        read_bets(RAND_ARITH, [0, 2, 1], [1])
    with pytest.raises(ParameterError, match="bets have the entry -1"):
        read_bets(RAND_ARITH, [0, 1], [-1])
    with pytest.raises(ParameterError, match="Rand-psHar"):
        by_name("harmonic")


def test_plain_texts_mean_what_they_say() -> None:
    """A text is the member of the enumeration that it names; it used to be taken for the default or its opposite."""
    middle = {"A": 0, "B": 1, "x": 0.5}
    assert DET_ARITH.probability(**middle, ties="lower") == 1.0  # type: ignore[arg-type]
    assert DET_ARITH.probability(**middle, ties="upper") == 0.0  # type: ignore[arg-type]
    rand_geo = by_name("Rand-Geo-2")
    boundary: Any = "boundary constraints"
    zero: Any = "A = 0"
    assert not desiderata.check(rand_geo, boundary, zero).holds
    for text in translation_tree.AfterZero:
        plain: Any = str(text)
        keep = action_abstraction.pot_fractions(1)
        assert (
            translated_strategy.translation_problem(KuhnNoLimit(stack=2), keep, 1, after_zero=plain).after_zero is text
        )
