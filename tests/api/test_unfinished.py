"""A limit of time: the answer is the best so far, with a certified bracket around the value."""

from __future__ import annotations

import math

import pytest

import equiform
from equiform.formulations.optimization.backends import base, get
from equiform.formulations.optimization.solution import Status, TerminationCondition
from equiform.formulations.zero_sum import undominated
from equiform.models.common.errors import LimitError
from tests.helpers.backend_programs import HERE

VALUE = -0.092673901
"""Of Leduc hold'em with 13 ranks: the brackets of full solves by HiGHS, PIQP and Clarabel agree on it."""


@pytest.fixture(scope="module")
def game() -> equiform.models.ExtensiveGame:
    return equiform.as_game("leduc:ranks=13")


@pytest.mark.parametrize("backend", [name for name in HERE if get(name).version() is not None])
def test_the_best_so_far_is_certified(
    monkeypatch: pytest.MonkeyPatch, game: equiform.models.ExtensiveGame, backend: str
) -> None:
    monkeypatch.setattr(base, "GRACE", 0.2)
    solved = equiform.solve(game, backend=backend, time_limit=0.03)
    assert solved.termination is TerminationCondition.TIME_LIMIT and solved.status is Status.WARNING
    lower, upper = solved.certificate.bracket or (1.0, -1.0)
    assert lower <= VALUE <= upper and solved.gap == pytest.approx(upper - lower)
    assert upper - lower < 0.3, "better than uniform play, which leaves more than two"
    document = solved.to_dict()
    assert document["termination"] == "time_limit" and document["gap"] == solved.gap
    for answer in (solved, solved.result):
        with pytest.raises(LimitError, match="reached its time limit"):
            answer.require_optimal()


def test_undominated_equilibria_keep_the_equilibrium_of_their_first_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is reached in the second program; the first one's plans are an equilibrium already."""
    monkeypatch.setattr(undominated, "solve_model", lambda *_: _Late())
    with pytest.raises(LimitError) as late:
        undominated.solve(equiform.as_game("kuhn"))
    form = equiform.models.as_sequence_form(equiform.as_game("kuhn"))
    assert form.nash_conv(*late.value.plans) < 1e-9 and math.isclose(form.value(*late.value.plans), -1 / 18)


class _Late:
    def require_optimal(self) -> None:
        raise LimitError("the solver reached its time limit")
