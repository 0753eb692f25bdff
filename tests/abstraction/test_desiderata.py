"""Who satisfies which desideratum: the pattern of thesis §7.7, and witnesses that hold up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equiform.abstraction.actions.desiderata import Case, Check, Desideratum, check, check_all
from equiform.abstraction.actions.translation import MAPPINGS, RAND_PSHAR, TranslationMapping, by_name

DETERMINISTIC = {"Det-Arith", "Det-Geo", "Det-psHar"}
GEOMETRIC = {"Det-Geo", "Rand-Geo-1", "Rand-Geo-2"}

# Thesis §7.7, in words: who violates what. At A = 0 Det-Geo is the constant 0 and so, alone among the deterministic
# mappings, continuous in x.
PATTERN = {
    (Desideratum.BOUNDARY, Case.POSITIVE): set(),
    (Desideratum.BOUNDARY, Case.ZERO): GEOMETRIC,
    (Desideratum.MONOTONICITY, Case.POSITIVE): set(),
    (Desideratum.MONOTONICITY, Case.ZERO): set(),
    (Desideratum.SCALE, Case.POSITIVE): set(),
    (Desideratum.SCALE, Case.ZERO): set(),
    (Desideratum.ACTION, Case.POSITIVE): DETERMINISTIC,
    (Desideratum.ACTION, Case.ZERO): DETERMINISTIC - {"Det-Geo"},
    (Desideratum.ROBUST_BOUNDARY, Case.POSITIVE): DETERMINISTIC,
    (Desideratum.ROBUST_BOUNDARY, Case.ZERO): DETERMINISTIC | GEOMETRIC,
}
# "though the deterministic ones violate strict monotonicity, as do the geometric ones for A = 0"; Propositions 2 and 4.
STRONG_PATTERN = {
    (Desideratum.MONOTONICITY, Case.POSITIVE): DETERMINISTIC,
    (Desideratum.MONOTONICITY, Case.ZERO): DETERMINISTIC | GEOMETRIC,
    (Desideratum.ACTION, Case.POSITIVE): DETERMINISTIC,
    (Desideratum.ACTION, Case.ZERO): DETERMINISTIC - {"Det-Geo"},
    (Desideratum.ROBUST_BOUNDARY, Case.POSITIVE): DETERMINISTIC | GEOMETRIC,
    (Desideratum.ROBUST_BOUNDARY, Case.ZERO): DETERMINISTIC | GEOMETRIC,
}


@pytest.fixture(scope="module")
def checks() -> tuple[Check, ...]:
    return check_all()


def violators(checks: tuple[Check, ...], desideratum: Desideratum, case: Case, strong: bool) -> set[str]:
    return {
        c.mapping for c in checks if (c.desideratum, c.case, c.strong) == (desideratum, case, strong) and not c.holds
    }


@pytest.mark.parametrize(("key", "expected"), PATTERN.items(), ids=[f"{d.value}, {c.value}" for d, c in PATTERN])
def test_the_pattern_of_section_7_7(
    checks: tuple[Check, ...], key: tuple[Desideratum, Case], expected: set[str]
) -> None:
    assert violators(checks, *key, strong=False) == expected


@pytest.mark.parametrize(
    ("key", "expected"), STRONG_PATTERN.items(), ids=[f"{d.value}, {c.value}" for d, c in STRONG_PATTERN]
)
def test_the_stronger_forms(checks: tuple[Check, ...], key: tuple[Desideratum, Case], expected: set[str]) -> None:
    assert violators(checks, *key, strong=True) == expected


def test_taken_literally_the_pseudo_harmonic_mapping_is_not_scale_invariant(checks: tuple[Check, ...]) -> None:
    for case in Case:
        assert violators(checks, Desideratum.SCALE, case, strong=True) == {"Det-psHar", "Rand-psHar"}
    # by hand: f_{0,1}(1/2) = 1/3, f_{0,2}(1) = 1/4
    assert RAND_PSHAR.probability(0, 1, 0.5).item() == pytest.approx(1 / 3)
    assert RAND_PSHAR.probability(0, 2, 1).item() == pytest.approx(1 / 4)


def test_witnesses_are_what_the_mapping_really_does(checks: tuple[Check, ...]) -> None:
    seen = 0
    for c in checks:
        for p in c.witness:
            assert by_name(c.mapping).probability(p.A, p.B, p.x, pot=p.pot).item() == p.f
            seen += 1
    assert seen > 40


def test_a_lipschitz_witness_is_steeper_than_any_bound_of_proposition_2() -> None:
    found = check(by_name("Rand-Geo-2"), Desideratum.ROBUST_BOUNDARY, Case.POSITIVE, strong=True)
    one, two = found.witness
    assert abs(one.f - two.f) / abs(one.A - two.A) > 1e4
    # Proposition 2's constant for the pseudo-harmonic mapping at the same sizes
    assert (1 + one.B) / ((one.B - one.A) * (1 + two.A)) < 100


@pytest.mark.parametrize(
    ("formula", "caught"),
    [
        (lambda A, B, x: (x - A) / (B - A), {Desideratum.BOUNDARY, Desideratum.MONOTONICITY}),
        (lambda A, B, x: 0.5 + 0 * x, {Desideratum.BOUNDARY}),
        (lambda A, B, x: ((B - x) / (B - A)) ** 0.5, set()),
    ],
    ids=["reversed", "constant", "square root"],
)
def test_a_mapping_of_ones_own(formula: object, caught: set[Desideratum]) -> None:
    mine = replace(RAND_PSHAR, name="mine", formula=formula)  # type: ignore[arg-type]
    assert isinstance(mine, TranslationMapping)
    assert {d for d in Desideratum if not check(mine, d, Case.POSITIVE).holds} == caught


def test_the_square_root_is_continuous_but_not_lipschitz() -> None:
    mine = replace(RAND_PSHAR, name="mine", formula=lambda A, B, x: (abs(B - x) / (B - A)) ** 0.5)
    assert check(mine, Desideratum.ACTION, Case.POSITIVE).holds
    assert not check(mine, Desideratum.ACTION, Case.POSITIVE, strong=True).holds


def test_there_are_seven_mappings() -> None:
    assert len(MAPPINGS) == len({m.name for m in MAPPINGS}) == 7
