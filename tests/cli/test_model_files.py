"""Models with names, foreign solvers' answers to them, and games written back to files."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import equiform
from equiform.formulations.optimization.backends.executables.cbc import executable
from equiform.formulations.optimization.names import LONGEST, legal_name, model_names
from equiform.formulations.optimization.solution_files import read_solution_file
from equiform.models.common.errors import EquiformError, FormatError, GameError, ParameterError, UnsupportedGameError
from tests.helpers.command_line import run_json


@pytest.mark.parametrize("names", [True, False])
@pytest.mark.parametrize("printing", [["-printingOptions", "all"], []], ids=["with rows", "columns only"])
def test_cbc_solves_kuhn_and_is_certified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: bool, printing: list[str]
) -> None:
    model, solution = tmp_path / "kuhn.lp", tmp_path / "cbc.sol"
    run_json(capsys, "model", "kuhn", "--out", str(model), *(["--names"] if names else []))
    assert ("plan.x.holding_Q_after_check_bet.call" in model.read_text()) is names
    cbc = executable()
    assert cbc is not None
    subprocess.run([cbc, str(model), "-solve", *printing, "-solution", str(solution)], check=True, capture_output=True)
    answer = run_json(capsys, "read-solution", str(model), str(solution), "kuhn")
    assert (answer["solver"], answer["status"]) == ("CBC", "Optimal")
    assert answer["opponent"] == ("duals" if printing else "solved here")
    assert answer["equilibrium"] and answer["payoffs"][0] == pytest.approx(-1 / 18, abs=1e-6)


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
@pytest.mark.parametrize("player", [0, 1])
def test_highs_writes_what_we_read(tmp_path: Path, suffix: str, player: int) -> None:
    import highspy

    model, solution = tmp_path / f"kuhn{suffix}", tmp_path / "highs.sol"
    equiform.write_model("kuhn", model, names=True, player=player)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.readModel(str(model))
    solver.run()
    solver.writeSolution(str(solution), 0)
    found = equiform.read_solution(model, solution, "kuhn")
    assert (found.solver, found.opponent, found.player) == ("HiGHS", "duals", player)
    assert found.certificate.nash_conv < 1e-9
    assert found.certificate.payoffs[0] == pytest.approx(-1 / 18)


def test_scip_and_gurobi_files(tmp_path: Path) -> None:
    plan = equiform.solve("kuhn").strategies[0].plan
    model = tmp_path / "kuhn.lp"
    equiform.write_model("kuhn", model, names=True)
    built = equiform.build_model("kuhn")
    names = model_names(built)
    values = {names[id(x)]: p for x, p in zip(built.plan.x.values(), plan.tolist(), strict=True)}
    scip, gurobi = tmp_path / "scip.sol", tmp_path / "gurobi.sol"
    listed = "".join(f"{n:40} {v:.17g} \t(obj:0)\n" for n, v in values.items() if v)  # SCIP leaves out zeros
    scip.write_text(f"solution status: optimal solution found\nobjective value: {-1 / 18!r}\n{listed}")
    gurobi.write_text(f"# Objective value = {-1 / 18!r}\n" + "".join(f"{n} {v!r}\n" for n, v in values.items()))
    for file, solver in ((scip, "SCIP"), (gurobi, "Gurobi")):
        found = equiform.read_solution(model, file, "kuhn")
        assert (found.solver, found.opponent, found.equilibrium) == (solver, "solved here", True)
        assert found.objective == -1 / 18


BROKEN = {
    "empty": ("", "not a solution file"),
    "prose": ("Dear solver,\n", "not a solution file"),
    "highs cut": (
        "Model status\nOptimal\n\n# Primal solution values\nObjective 1\n# Columns 3\nx 1\n",
        "early",
    ),
    "highs infeasible": ("Model status\nInfeasible\n", "no solution"),
    "cbc number": ("Optimal - objective value 1\n 0 x one 0\n", "not a number"),
    "cbc word": ("Optimal - objective value 1\n x 1\n", "without a number"),
    "cbc unbounded": ("Unbounded - objective value 1\n 0 x 1 0\n", "no solution"),
    "scip": ("solution status: infeasible\nno solution available\n", "no solution"),
    "gurobi": ("# Objective value = 1\nx\n", "too few words"),
    "another model": ("# Objective value = 1\nx 1\n", "no column of the model"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_solution_files(tmp_path: Path, case: str) -> None:
    text, message = BROKEN[case]
    model, file = tmp_path / "rps.lp", tmp_path / "rps.sol"
    equiform.write_model("rps", model, names=True)
    file.write_text(text)
    with pytest.raises(FormatError, match=message):
        equiform.read_solution(model, file, "rps")


def test_a_model_that_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "a.lp").write_text("max x\n")
    (tmp_path / "a.sol").write_text("# Objective value = 1\nx 1\n")
    with pytest.raises(FormatError, match="which program it is"):
        equiform.read_solution(tmp_path / "a.lp", tmp_path / "a.sol", "rps")
    with pytest.raises(FormatError, match="cannot read"):
        read_solution_file(tmp_path / "none.sol")


def test_names_are_legal_and_distinct() -> None:
    assert legal_name("e12") == "n_e12" and legal_name("3") == "n_3" and legal_name("…") == "unnamed"
    assert legal_name("Zürich: fold") == "Zurich.fold"
    assert len(legal_name("x" * 300)) <= LONGEST and legal_name("x" * 300) != legal_name("x" * 301)
    for formulation in ("nash", "une", "gift-least"):
        game = "leduc" if formulation == "nash" else "rps"
        names = list(model_names(equiform.build_model(game, formulation)).values())
        assert len(set(names)) == len(names)
        assert all(len(n) <= 100 and n.replace("_", "").replace(".", "").isalnum() and n[0].isalpha() for n in names)


@pytest.mark.parametrize(("game", "suffix"), [("kuhn", ".efg"), ("kuhn", ".json"), ("rps", ".nfg"), ("rps", ".json")])
def test_exported_games_come_back(tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str, suffix: str) -> None:
    file = tmp_path / f"game{suffix}"
    assert run_json(capsys, "export", game, "--out", str(file))["file"] == str(file)
    first, again = (equiform.solve(g, exact=True) for g in (game, str(file)))
    assert first.exact is not None and again.exact is not None
    assert first.exact.value == again.exact.value
    assert [s.treeplex.num_infosets for s in first.strategies] == [s.treeplex.num_infosets for s in again.strategies]


def test_exports_that_cannot_be(tmp_path: Path) -> None:
    for game, name, kind in (("kuhn", "a.nfg", UnsupportedGameError), ("rps", "a.efg", UnsupportedGameError)):
        with pytest.raises(kind):
            equiform.export_game(game, tmp_path / name)
    with pytest.raises(ParameterError, match="suffix"):
        equiform.export_game("kuhn", tmp_path / "kuhn")


BAD_GAMES = {
    "no format": ("{}", "not an equiform game file"),
    "version": ('{"format": "equiform-game", "version": 9}', "version 9"),
    "no players": ('{"format": "equiform-game", "version": 1, "name": "a", "kind": "normal"}', "players are missing"),
    "kind": ('{"format": "equiform-game", "version": 1, "name": "a", "players": ["b"], "kind": "c"}', "kind of game"),
    "no nodes": (
        '{"format": "equiform-game", "version": 1, "name": "a", "players": ["b"], "kind": "extensive"}',
        "nodes are missing",
    ),
    "float": (
        '{"format": "equiform-game", "version": 1, "name": "a", "players": ["b"], "kind": "extensive",'
        ' "nodes": [{"payoffs": [0.5]}]}',
        "not an exact number",
    ),
    "more": (
        '{"format": "equiform-game", "version": 1, "name": "a", "players": ["b"], "kind": "extensive",'
        ' "nodes": [{"payoffs": ["1"]}, {"payoffs": ["1"]}]}',
        "more nodes",
    ),
    "fewer": (
        '{"format": "equiform-game", "version": 1, "name": "a", "players": ["b"], "kind": "extensive",'
        ' "nodes": [{"player": 1, "infoset": "c", "moves": ["d"]}]}',
        "missing at the end",
    ),
}


@pytest.mark.parametrize("case", BAD_GAMES)
def test_bad_game_files(tmp_path: Path, case: str) -> None:
    text, message = BAD_GAMES[case]
    file = tmp_path / "game.json"
    file.write_text(text)
    with pytest.raises(FormatError, match=message):
        equiform.load_game(file)


def test_matrices_and_rules_are_games() -> None:
    assert equiform.solve([[0, 1], [2, -1]]).value == pytest.approx(1 / 2)
    assert equiform.solve(np.array([[0, 1], [2, -1]])).value == pytest.approx(1 / 2)
    assert equiform.solve(([[1, 0], [0, 1]], [[0, 1], [1, 0]])).value == pytest.approx(1 / 2)  # constant-sum
    dilemma = ([[3, 0], [5, 1]], [[3, 5], [0, 1]])
    with pytest.raises(UnsupportedGameError, match="mip_nash"):
        equiform.solve(dilemma)
    assert equiform.mip_nash(dilemma).certificate.payoffs == pytest.approx((1, 1))
    from equiform.games import Kuhn

    assert equiform.solve(Kuhn()).value == pytest.approx(-1 / 18)
    with pytest.raises(ParameterError, match="not a game"):
        equiform.solve([[[1]]])


def test_an_openspiel_game_object() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    assert equiform.solve(pyspiel.load_game("kuhn_poker")).value == pytest.approx(-1 / 18)


PENNIES = '''
class Pennies:
    """Matching pennies, one after the other."""

    name = "pennies"
    players = ("even", "odd")

    def initial(self):
        return ()

    def turn(self, state):
        return len(state) if len(state) < 2 else -2

    def actions(self, state):
        return ("heads", "tails")

    def probabilities(self, state):
        return ()

    def next(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        return (1, -1) if state[0] == state[1] else (-1, 1)

    def infoset(self, state):
        return len(state)

    def describe(self, key):
        return "to move"


game = Pennies()


class Broken:
    def __init__(self):
        raise RuntimeError("no luck")
'''


def test_a_game_in_a_file_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from equiform.models.rules import TERMINAL

    file = tmp_path / "my_game.py"
    file.write_text(PENNIES.replace("-2", str(TERMINAL)))
    for name in ("Pennies", "game"):
        assert run_json(capsys, "solve", f"{file}:{name}")["value"] == pytest.approx(0.0)
    refused: list[tuple[str, type[EquiformError], str]] = [
        (f"{file}:Nothing", ParameterError, "has no 'Nothing'"),
        (f"{file}:Broken", GameError, "no luck"),
        (f"{tmp_path / 'none.py'}:A", ParameterError, "no such file"),
    ]
    for spec, kind, message in refused:
        with pytest.raises(kind, match=message):
            equiform.load_game(spec)
    file.write_text("import nothing_of_the_kind")
    with pytest.raises(GameError, match="cannot be imported"):
        equiform.load_game(f"{file}:A")
