"""Whatever happens to a file, it is read correctly or refused with one of our errors."""

from __future__ import annotations

import json
import resource
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equiform.api.spots import read_locks, solve_spot
from equiform.api.spots import read_solution as read_spot
from equiform.formulations.inputs.abstraction import read_error_table, solve_children
from equiform.formulations.optimization.solution_files import read_solution_file
from equiform.games import Kuhn, load_game, write_efg
from equiform.games.formats.json_game import write_json_game
from equiform.games.formats.nfg import write_nfg
from equiform.games.poker.holdem.bet_sizes import BetSizes
from equiform.games.poker.holdem.spot import Spot
from equiform.models import ExtensiveGame, NormalForm, compile_rules
from equiform.models.common.errors import EquiformError
from equiform.models.stochastic.explicit import read_stochastic
from equiform.models.strategy import Strategy, read_profile, write_profile
from equiform.runs import Store
from equiform.runs.task import Task
from equiform.solvers_iterative import Until
from equiform.solvers_iterative.registry import create, load_solver
from equiform.validation.certificates.certificate import certify
from equiform.validation.reproduce.cell import by_digits
from equiform.validation.reproduce.experiment import Outcome
from equiform.validation.reproduce.runner import read_outcome
from tests.helpers.damage import damage


@dataclass(frozen=True)
class Kind:
    """A kind of file: how a sound one is written, and how it is read again."""

    file: str
    write: Callable[[Path], Any]
    read: Callable[[Path], Any]


@cache
def kuhn() -> ExtensiveGame:
    return compile_rules(Kuhn())


def _write_profile(path: Path) -> None:
    write_profile(path, "kuhn", [Strategy(t, t.uniform()) for t in kuhn().treeplexes])


def _write_state(path: Path) -> None:
    solver = create("cfr+", kuhn())
    solver.run(Until(iterations=5))
    solver.save(path)


def _task() -> Task:
    return Task("equiform.runs.executor:warm_up", {}, version="1", label="toy")


def _write_record(path: Path) -> None:
    store = Store(path.parent)
    store.put(_task(), {"gains": np.arange(5.0), "count": 3})
    store.path(_task()).rename(path)


def _read_record(path: Path) -> Any:
    store = Store(path.parent)
    store.path(_task()).write_bytes(path.read_bytes())
    return store.get(_task())


def _write_outcome(path: Path) -> None:
    outcome = Outcome("toy", False, (by_digits("a", "1", "0.50", 0.6), by_digits("a", "2", "-3", -3.0)), 0.0)
    path.write_text(json.dumps(outcome.to_dict(), indent=1))


def _table() -> NormalForm:
    return NormalForm.from_matrix("rps", ("r", "p", "s"), ("r", "p", "s"), [[0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def _write_locks(path: Path) -> None:
    path.write_text('{"locks": [{"player": 1, "node": "check", "actions": {"check": 0.5, "bet 100": 0.5}}]}')


def _write_stochastic(path: Path) -> None:
    outcomes = [
        {"actions": ["stay", "left"], "payoffs": [0, 0], "next": {"playing": "1/1"}},
        {"actions": ["leave", "left"], "payoffs": [1, "-1/3"]},
    ]
    state = {"actions": [["stay", "leave"], ["left"]], "outcomes": outcomes}
    document = {"format": "equiform-stochastic", "version": 1, "name": "toy", "players": ["A", "B"], "discount": "4/5"}
    path.write_text(json.dumps(document | {"states": {"playing": state}}))


def _write_spot(path: Path) -> None:
    board = "2c7d8s9hQc"
    solve_spot(Spot.of(board, pot=10, stack=10, oop="AA", ip="KK", sizes=BetSizes("a", "a")), until="50%").write(path)


def _write_solution(path: Path) -> None:
    path.write_text(
        "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 1.5\n# Columns 2\nx 1\ny 0.5\n"
        "# Rows 1\nr 1.5\n\n# Dual solution values\nFeasible\n# Columns 2\nx 0\ny 0\n# Rows 1\nr 1\n"
    )


def _read_profile(path: Path) -> Any:
    return certify(kuhn(), read_profile(path, kuhn().treeplexes))


#: Reading a spot compiles its solver, which is too long for the default run.
LONG = ("spot.json",)
KINDS = {
    kind.file: kind
    for kind in (
        Kind("game.efg", lambda path: write_efg(kuhn(), path), load_game),
        Kind("game.nfg", lambda path: write_nfg(_table(), path), load_game),
        Kind("tree.json", lambda path: write_json_game(kuhn(), path), load_game),
        Kind("table.json", lambda path: write_json_game(_table(), path), load_game),
        Kind("strategy.json", _write_profile, _read_profile),
        Kind("state.npz", _write_state, lambda path: load_solver(path, kuhn()).run(Until(iterations=8))),
        Kind("record.npz", _write_record, _read_record),
        Kind("toy.json", _write_outcome, read_outcome),
        Kind("locks.json", _write_locks, read_locks),
        Kind("stochastic.json", _write_stochastic, read_stochastic),
        Kind("errors.json", lambda path: path.write_text('{"errors": [[3, 1], [2, 0.5]], "weights": [1, 2]}'),
             lambda path: solve_children(read_error_table(path), budget=3)),
        Kind("solution.sol", _write_solution, read_solution_file),
        Kind("spot.json", _write_spot, read_spot),
    )
}  # fmt: skip

#: Seeds per kind: in the default run, and in the long one (5,000 files and more altogether).
FEW, MANY = 40, 390
QUICK = [name for name in KINDS if name not in LONG]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Kind], bytes]:
    """Return a sound file of a kind, written once."""
    folder = tmp_path_factory.mktemp("sound")

    @cache
    def content(kind: Kind) -> bytes:
        kind.write(folder / kind.file)
        return (folder / kind.file).read_bytes()

    return content


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.fuzz) for name in LONG)])
def test_a_sound_file_is_read(name: str, sound: Callable[[Kind], bytes], tmp_path: Path) -> None:
    """Without this the other tests could pass because nothing is read at all."""
    kind = KINDS[name]
    (tmp_path / kind.file).write_bytes(sound(kind))
    assert kind.read(tmp_path / kind.file) is not None


def read_damaged(kind: Kind, content: bytes, seed: int, folder: Path) -> bool:
    """Damage a file, read it, and say whether that was refused; any error but ours fails the test."""
    path = folder / kind.file
    path.write_bytes(damage(content, seed))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            kind.read(path)
        except EquiformError:
            return True
        except Exception as error:
            error.add_note(f"{kind.file}, seed {seed}")
            raise
    return False


@pytest.mark.parametrize("name", QUICK)
def test_damaged_files_are_refused(name: str, sound: Callable[[Kind], bytes], tmp_path: Path) -> None:
    kind = KINDS[name]
    refused = [read_damaged(kind, sound(kind), seed, tmp_path) for seed in range(FEW)]
    assert sum(refused) > FEW // 4  # or the damage does nothing


@pytest.mark.fuzz
@pytest.mark.parametrize("name", KINDS)
def test_many_damaged_files(name: str, sound: Callable[[Kind], bytes], tmp_path: Path) -> None:
    kind = KINDS[name]
    content, before = sound(kind), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for seed in range(FEW, FEW + MANY):
        read_damaged(kind, content, seed, tmp_path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500_000  # kB: no file takes the machine
