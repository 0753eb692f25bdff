"""The size of games: estimates from samples, limits in nodes and in bytes, and what is said on the way."""

from __future__ import annotations

import pytest

from equiform.games import load_game
from equiform.games.poker.kuhn import Kuhn
from equiform.models import size
from equiform.models.common.errors import EquiformError, GameError, ParameterError
from equiform.models.compile import _estimate, compile_rules
from equiform.models.size import SizeWatch, parse_bytes, size_limits


def test_an_estimate_is_near_the_truth() -> None:
    rules = Kuhn(8)
    assert _estimate(rules) == pytest.approx(compile_rules(rules).num_nodes, rel=0.1)


def test_a_limit_of_nodes_holds_for_every_game_read_inside() -> None:
    with size_limits(nodes=50), pytest.raises(GameError, match="more than 50 nodes"):
        load_game("kuhn")
    load_game("kuhn")


def test_bytes_count_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that is small in nodes and large in memory: every look finds a further megabyte."""
    taken = iter(range(0, 10**9, 10**6))
    monkeypatch.setattr(size, "own_memory", lambda: next(taken))
    monkeypatch.setattr(size, "EVERY", 1)
    with size_limits(memory="3MB"), pytest.raises(GameError, match="takes more than 3 MB of memory") as refused:
        compile_rules(Kuhn(4))
    assert "--max-memory" in refused.value.fix


def test_memory_that_runs_out_is_a_typed_error() -> None:
    class Greedy(Kuhn):
        def infoset(self, state: tuple[object, ...]) -> tuple[int, str]:
            raise MemoryError

    with pytest.raises(GameError, match="does not fit into memory"):
        compile_rules(Greedy())


def test_progress_is_told_with_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr("equiform.models.size.time.perf_counter", lambda: float(next(clock)))
    told: list[str] = []
    with size_limits(report=told.append):
        SizeWatch("toy", 1000, lambda: 250.0).look(100)
    assert told and told[0].startswith("100 nodes of about 250, ")


@pytest.mark.parametrize("text", ["", "much", "-1GB", "0", "1 EB"])
def test_amounts_that_are_none(text: str) -> None:
    with pytest.raises(ParameterError, match="is not an amount of memory"):
        parse_bytes(text)


def test_openspiel_games_count_their_own_states() -> None:
    """oshi_zumo once took 8.7 GB before the count of nodes stopped it."""
    pytest.importorskip("pyspiel")
    with size_limits(memory="40MB"), pytest.raises(EquiformError, match="takes more than 40 MB") as refused:
        load_game("openspiel:oshi_zumo")
    assert "estimated at about" in refused.value.where
