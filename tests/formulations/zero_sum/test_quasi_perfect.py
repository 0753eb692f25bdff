"""ε-quasi-perfect equilibria: the program, its certificate, and the exact route."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiform.formulations.zero_sum import matrix_game_lp, quasi_perfect
from equiform.models.common.errors import CertificateError, ParameterError
from equiform.models.normal_form import NormalForm
from equiform.models.sequence_form import SequenceForm, sequence_form
from equiform.validation.certificates.exact_evaluation import exact_nash_conv
from equiform.validation.exact.quasi_perfect import certify_for_all_small, exact_quasi_perfect, quasi_perfect_limit
from equiform.validation.exact.refinements import exact_dominance
from equiform.validation.reproduce.equilibria.pair_folds import pair_folds
from equiform.validation.reproduce.equilibria.qpe_table import EPSILONS, qpe_row, qpe_table, smallest_survived
from tests.helpers.games import tree


@pytest.fixture(scope="module")
def forms() -> dict[str, SequenceForm]:
    return {name: sequence_form(tree(name)) for name in ("kuhn", "one-card", "leduc")}


def perturbed_matrix(rows: list[list[int]], epsilon: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The perturbed game as an ordinary matrix game: its pure strategies are the corners of the perturbed simplex."""
    matrix = np.array(rows, dtype=float)
    corners = [np.full((n, n), epsilon) + (1 - n * epsilon) * np.eye(n) for n in matrix.shape]
    return corners[0] @ matrix @ corners[1].T


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.lists(st.integers(-4, 4), min_size=3, max_size=3), min_size=2, max_size=4),
    st.sampled_from([Fraction(1, 4), Fraction(1, 10), Fraction(1, 100)]),
)
def test_matrix_games_agree_with_their_corners(rows: list[list[int]], epsilon: Fraction) -> None:
    names = [f"r{i}" for i in range(len(rows))]
    form = NormalForm.from_matrix("random", names, "LMR", rows).sequence_form()
    corners = perturbed_matrix(rows, float(epsilon))
    reference = matrix_game_lp.solve(NormalForm.from_matrix("corners", names, "LMR", corners.tolist())).value
    assert float(exact_quasi_perfect(form, epsilon).value) == pytest.approx(reference, abs=1e-8)
    for player in (0, 1):
        result = quasi_perfect.solve(form, float(epsilon), player=player).require_certified()
        assert result.value == pytest.approx(reference, abs=1e-8)


@pytest.mark.parametrize("name", ["kuhn", "one-card", "leduc"])
@pytest.mark.parametrize("player", [0, 1])
def test_both_seats_and_both_float_routes_agree_at_large_epsilon(
    forms: dict[str, SequenceForm], name: str, player: int
) -> None:
    form = forms[name]
    exact = exact_quasi_perfect(form, Fraction(1, 20))
    for route in quasi_perfect.ROUTES:
        result = quasi_perfect.solve(form, 0.05, player=player, route=route).require_certified()
        assert result.value == pytest.approx(float(exact.value), abs=1e-8)
        assert abs(result.residuals.gap) < 1e-8
        for plan, treeplex in zip(result.plans, form.treeplexes, strict=True):
            assert plan is not None
            assert (plan[1:] >= quasi_perfect.trembles(treeplex, 0.05)[1:] * (1 - 1e-6)).all()


class TestCertificate:
    """Floats may fail, but not silently."""

    @pytest.mark.parametrize("name", ["kuhn", "one-card", "leduc"])
    def test_what_it_passes_is_exactly_optimal(self, forms: dict[str, SequenceForm], name: str) -> None:
        rows = qpe_table([forms[name]], routes=("float", "scaled"))
        assert len(rows) == 2 * len(EPSILONS)
        for row in rows:
            assert row.correct or not row.certified, row
        assert any(row.certified for row in rows) and any(not row.correct for row in rows)

    def test_a_wrong_answer_is_refused(self, forms: dict[str, SequenceForm]) -> None:
        result = quasi_perfect.solve(forms["leduc"], 1e-5)
        assert result.solution.optimal  # says the solver
        with pytest.raises(CertificateError, match="not a 1e-05-quasi-perfect"):
            result.require_certified()

    def test_a_perturbed_right_answer_is_refused(self, forms: dict[str, SequenceForm]) -> None:
        form = forms["kuhn"]
        good = quasi_perfect.solve(form, 0.01).require_certified()
        assert good.plans[0] is not None and good.plans[1] is not None
        treeplex = form.treeplexes[1]
        behavior = treeplex.behavior(good.plans[1])
        bad, rest = treeplex.sequence("holding J, after bet", "call"), treeplex.sequence("holding J, after bet", "fold")
        behavior[bad], behavior[rest] = behavior[bad] + 1e-3, behavior[rest] - 1e-3
        worse = quasi_perfect.residuals(form, 0.01, (good.plans[0], treeplex.realization(behavior)))
        assert worse.mistake > 0.05
        short = good.plans[0] * 0.99
        assert quasi_perfect.residuals(form, 0.01, (short, good.plans[1])).worst > 1e-3

    def test_exact_route_survives_where_floats_do_not(self, forms: dict[str, SequenceForm]) -> None:
        leduc = forms["leduc"]
        smallest = smallest_survived(leduc, "float")
        assert smallest is not None and smallest > Fraction(1, 10**4)
        row = qpe_row(leduc, Fraction(1, 10**9), "exact")
        assert row.correct and row.certified and row.exploitability is not None
        assert 0 < row.exploitability < 1e-8


class TestLimit:
    """One basis for every small ε, and the quasi-perfect equilibrium that it leads to."""

    @pytest.mark.parametrize("name", ["kuhn", "one-card", "leduc"])
    def test_limit_is_an_undominated_equilibrium(self, forms: dict[str, SequenceForm], name: str) -> None:
        limit = quasi_perfect_limit(forms[name])
        assert limit.radius > 0
        assert exact_nash_conv(tree(name), limit.strategies) == 0
        for player in (0, 1):
            assert exact_dominance(forms[name], limit.strategies[player], player=player).gain == 0

    @pytest.mark.parametrize("name", ["kuhn", "one-card", "leduc"])
    def test_polynomials_agree_with_exact_solves(self, forms: dict[str, SequenceForm], name: str) -> None:
        limit = quasi_perfect_limit(forms[name])
        for epsilon in (limit.radius, Fraction(1, 10**6)):
            assert limit.at(epsilon).value == exact_quasi_perfect(forms[name], epsilon).value
        with pytest.raises(ParameterError, match="outside"):
            limit.at(2 * limit.radius + 1)

    def test_a_basis_that_does_not_last_is_refused(self, forms: dict[str, SequenceForm]) -> None:
        early = exact_quasi_perfect(forms["leduc"], Fraction(1, 10))
        assert certify_for_all_small(forms["leduc"], early.basis) is None

    def test_kuhn_player_two_keeps_the_only_equilibrium_strategy(self, forms: dict[str, SequenceForm]) -> None:
        table = quasi_perfect_limit(forms["kuhn"]).strategies[1].table()
        assert table["holding Q, after bet"] == {"fold": "2/3", "call": "1/3"}
        assert table["holding J, after check"] == {"check": "2/3", "bet": "1/3"}
        assert table["holding K, after check"] == {"check": "0", "bet": "1"}


class TestLeducPairs:
    """Folding a pair with the board is never right; a tremble is all that is left of it."""

    @pytest.mark.parametrize("k", [3, 8, 60])
    def test_exact_route_trembles_only(self, forms: dict[str, SequenceForm], k: int) -> None:
        found = pair_folds(*exact_quasi_perfect(forms["leduc"], Fraction(1, 10**k)).strategies)
        assert (found.folding, found.total) == (0, 60)
        assert found.worst <= 10.0**-k * (1 + 1e-12)

    def test_limit_folds_none_at_all(self, forms: dict[str, SequenceForm]) -> None:
        found = pair_folds(*quasi_perfect_limit(forms["leduc"]).strategies, above=0.0)
        assert (found.folding, found.worst) == (0, 0.0)

    def test_uncertified_floats_fold_some(self, forms: dict[str, SequenceForm]) -> None:
        result = quasi_perfect.solve(forms["leduc"], 1e-8)
        assert result.residuals.worst > quasi_perfect.TOLERANCE
        assert pair_folds(*(s for s in result.strategies if s is not None)).folding > 0


def test_exploitability_bound(forms: dict[str, SequenceForm]) -> None:
    """§10.7.2: an ε-QPE has exploitability at most ε |A| |M|, actions at an information set times largest payoff."""
    for name, largest in (("kuhn", 2), ("one-card", 2), ("leduc", 13)):
        for k in (1, 2, 3):
            epsilon = Fraction(1, 10**k)
            assert exact_quasi_perfect(forms[name], epsilon).exploitability <= epsilon * 3 * largest


@pytest.mark.parametrize("epsilon", [0.0, -0.1, 0.6, float("nan")])
def test_impossible_trembles_are_refused(forms: dict[str, SequenceForm], epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        quasi_perfect.solve(forms["kuhn"], epsilon)


def test_unknown_route(forms: dict[str, SequenceForm]) -> None:
    with pytest.raises(ParameterError, match="use one of float, scaled"):
        quasi_perfect.solve(forms["kuhn"], 0.1, route="magic")
