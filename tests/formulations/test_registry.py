"""Every registered program builds, solves on every backend that can, agrees with the others, and has a page."""

from __future__ import annotations

import ast
import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import equiform
from equiform.api import load_input
from equiform.formulations.optimization.backends import available, get, solve_model
from equiform.formulations.optimization.compiling.compiler import compile_model
from equiform.formulations.optimization.options import SolverOptions
from equiform.formulations.registry import INPUTS, find_formulation, formulations
from equiform.models.common.errors import ParameterError

ROOT = Path(__file__).parents[2]
NAMES = list(formulations())
PARAMETERS: dict[str, dict[str, Any]] = {
    "qpe": {"epsilon": "1/100"},
    "children": {"budget": 4},
    "gift-most": {"move": 2},
    "gift-least": {"move": 2},
    "endgame-worst-play": {"classes": "1;3", "delta": "1/10"},
    "endgame-property": {"player": 1},
}
#: Values from the literature: Kuhn poker is worth -1/18, and a best response to uniform play 1/2. By hand: below a
#: uniform first move of Kuhn poker player 1 gets -1/3 after a bet and -1/18 after a check; in the stochastic game, best
#: responses to uniform play are worth 1 (leave) and -1/3 (right).
KNOWN = {
    "nash": -1 / 18,
    "best-response": 1 / 2,
    "matrix": 0.0,
    "children": 3.0,
    "endgame-joint": -7 / 36,
    "stochastic-response": 2 / 3,
}


#: One state. Player 1 stays for 0 or 1/2, or leaves for 2 or 0; player 2 gets the opposite.
STOCHASTIC = {
    "format": "equiform-stochastic",
    "version": 1,
    "name": "stay or leave",
    "players": ["one", "two"],
    "discount": "1/2",
    "states": {
        "playing": {
            "actions": [["stay", "leave"], ["left", "right"]],
            "outcomes": [
                {"actions": ["stay", "left"], "payoffs": [0, 0], "next": {"playing": 1}},
                {"actions": ["stay", "right"], "payoffs": ["1/2", "-1/2"], "next": {"playing": 1}},
                {"actions": ["leave", "left"], "payoffs": [2, -2]},
                {"actions": ["leave", "right"], "payoffs": [0, 0]},
            ],
        }
    },
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the programs read that take a file."""
    folder = tmp_path_factory.mktemp("inputs")
    documents = {
        "error table": {"errors": [[4, 1, 0], [9, 5, 3]], "weights": [0.5, 0.5]},
        "stochastic game": STOCHASTIC,
    }
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document))
    return {name: str(folder / f"{name}.json") for name in documents}


@pytest.mark.parametrize("name", NAMES)
def test_every_program_on_every_backend(name: str, files: dict[str, str]) -> None:
    entry = find_formulation(name)
    given = load_input(entry, files.get(entry.takes, entry.example))
    parameters = PARAMETERS.get(name, {})
    objectives = {}
    for backend in available():
        model = entry.build_model(given, **parameters)
        if not get(backend).capabilities.lacks(compile_model(model).needs):
            solution = solve_model(model, SolverOptions(backend)).require_optimal()
            objectives[backend] = solution.objective
    assert len(objectives) >= 2
    assert objectives == {b: pytest.approx(objectives["highs"], abs=1e-6) for b in objectives}
    if name in KNOWN:
        assert objectives["highs"] == pytest.approx(KNOWN[name], abs=1e-9)
    found = entry.find(given, **parameters)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))


def test_every_program_of_the_package_is_registered(monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> None:
    built: set[str] = set()
    modules = []
    for path in sorted((ROOT / "formulations").rglob("*.py")):
        tree = ast.parse(path.read_text())
        if any(isinstance(node, ast.FunctionDef) and node.name == "build" for node in tree.body):
            modules.append("equiform." + ".".join(path.relative_to(ROOT).with_suffix("").parts))
    for name in modules:
        module = importlib.import_module(name)

        def record(*args: Any, _name: str = name, _build: Any = module.build, **keywords: Any) -> Any:
            built.add(_name)
            return _build(*args, **keywords)

        monkeypatch.setattr(module, "build", record)
    for entry in formulations().values():
        given = load_input(entry, files.get(entry.takes, entry.example))
        entry.build_model(given, **PARAMETERS.get(entry.name, {}))
    equiform.build_model("rps", "mip-nash")
    assert built == set(modules)


def test_entries_are_complete() -> None:
    for entry in formulations().values():
        assert entry.takes in INPUTS
        assert entry.title and entry.certificate
        assert (ROOT / "docs" / f"{entry.page}.md").exists()


def test_the_documentation_lists_them_all() -> None:
    spec = importlib.util.spec_from_file_location("make_tables", ROOT / "docs" / "make_tables.py")
    assert spec is not None and spec.loader is not None
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    text = tables.PAGE.read_text()
    assert tables.with_table(text) == text, "run docs/make_tables.py"
    assert all(f"`{name}`" in text for name in NAMES)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: equiform.build_model("kuhn", "magic"), "there is no formulation 'magic'"),
        (lambda: equiform.build_model("kuhn", "nahs"), "did you mean 'nash'"),
        (lambda: equiform.build_model("kuhn", "qpe"), "needs an epsilon"),
        (lambda: equiform.build_model("kuhn", "nash", epsilon=1), "takes no epsilon"),
        (lambda: equiform.build_model("kuhn", "qpe", epsilon="tiny"), "not a number"),
        (lambda: equiform.build_model("kuhn", "gift-most", move=99), "no move 99"),
        (lambda: equiform.build_model("kuhn", "opponent-l1", level=9), "no level 9"),
        (lambda: equiform.build_model("kuhn", "endgame-resolve", endgame=3), "no endgame 3"),
        (lambda: equiform.build_model("kuhn", "endgame-joint", cut="river"), "'river' is not a cut"),
        (lambda: equiform.build_model("kuhn", "endgame-worst-play", classes="4"), "no class '4'"),
        (lambda: equiform.build_model("rps", "endgame-unsafe"), "only a game tree has endgames"),
        (lambda: equiform.solve("kuhn", concept="dominance"), "there is no solution concept"),
    ],
)
def test_bad_parameters(call: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize("name", NAMES)
def test_the_default_of_a_parameter_lies_within_its_bounds(name: str) -> None:
    for parameter in formulations()[name].parameters:
        default: Any = parameter.default
        assert parameter.low is None or parameter.low <= default, parameter
        assert parameter.high is None or default <= parameter.high, parameter
