"""``equiform endgame``: cut a game, re-solve what lies below, and measure it in the whole game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from rich.progress import Progress
from rich.table import Table

from equiform.cli.options import BACKEND, GAME, JSON, OUT, TIME_LIMIT
from equiform.cli.output import console, errors, print_json
from equiform.models.common.errors import ParameterError


def endgame(
    game: str = GAME,
    cut: str = typer.Option("chance=2", help="Where endgames begin: chance=N, moves=N or history=EVENTS."),
    blueprint: str = typer.Option(
        "equilibrium", help="A strategy file, equilibrium, uniform, or groups:0,0,1 (one group per rank of Leduc)."
    ),
    method: str = typer.Option("all", help="unsafe, resolve, max-margin, joint, several with commas, or all."),
    floor: float = typer.Option(0.0, help="For unsafe: the least weight with which players are taken to arrive."),
    delta: list[float] = typer.Option([], help="Also compute ε*(δ) for this δ; may be repeated."),  # noqa: B008
    exact: bool = typer.Option(False, "--exact", help="Round the blueprint to 1/1000 and use rational numbers."),
    backend: str = BACKEND,
    time_limit: float = TIME_LIMIT,
    out: Path = OUT,
    json: bool = JSON,
) -> None:
    """Re-solve the endgames of a game below a trunk.

    Says what that does to the whole strategy.
    """
    from equiform import api
    from equiform.endgames.methods import METHODS, resolve
    from equiform.formulations.optimization.options import SolverOptions
    from equiform.models.strategy import write_profile

    methods = METHODS if method == "all" else tuple(m.strip() for m in method.split(","))
    unknown = [m for m in methods if m not in METHODS]
    if unknown:
        raise ParameterError(f"there is no method {unknown[0]!r}", where="--method", fix=f"one of {', '.join(METHODS)}")
    if out is not None and len(methods) != 1:
        raise ParameterError(f"{len(methods)} methods give as many strategies", where="--out", fix="name one --method")
    solver = SolverOptions(backend, time_limit=time_limit or None)
    tree = _tree(api.as_game(game), game)
    prepared = _blueprint(tree, cut, blueprint, solver)
    value = api.solve(tree, backend=backend).value
    if exact:
        _exactly(game, prepared, [m for m in methods if m != "joint"], json)
        return
    before = [_fair(value, p) - prepared.guarantee(p, s.plan) for p, s in enumerate(prepared.strategies)]
    rows: list[dict[str, Any]] = [{"method": "blueprint", "exploitability": before}]
    found: list[Any] = []
    with Progress(console=errors, transient=True, disable=json) as bar:
        task = bar.add_task("re-solving", total=2 * len(methods) * len(prepared.endgames))
        for name in methods:
            found = [
                resolve(prepared, name, player=p, floor=floor, solver=solver, progress=lambda *_: bar.advance(task))
                for p in (0, 1)
            ]
            rows.append(
                {
                    "method": name,
                    "exploitability": [f.exploitability(value) for f in found],
                    "gain": [f.gain for f in found],
                    "kept": [f.kept for f in found],
                }
            )
    document = {
        "game": game,
        "cut": cut,
        "blueprint": blueprint,
        "floor": floor,
        "value": value,
        "endgames": [e.name for e in prepared.endgames],
        "rows": rows,
        "property": _property(prepared, delta, value, solver),
    }
    if out is not None:
        write_profile(out, game, [f.strategy for f in found])
    if json:
        print_json(document)
        return
    _show(document)
    if out is not None:
        console.print(f"Strategies written to {out}.")


def _tree(loaded: Any, name: str) -> Any:
    from equiform.models.extensive import ExtensiveGame

    if not isinstance(loaded, ExtensiveGame):
        raise ParameterError("only a game tree has endgames", where=name, fix="use rps-sequential, kuhn, leduc, …")
    return loaded.zero_sum()


def _condition(tree: Any, text: str) -> Any:
    from equiform.endgames.cut import after_chance, after_history, after_moves

    kind, equals, what = text.partition("=")
    if equals and kind == "history":
        return after_history(tree, what)
    if kind not in ("chance", "moves") or not what.isdigit():
        raise ParameterError(f"{text!r} is not a cut", where="--cut", fix="e.g. chance=2, moves=1 or history=bet–call")
    return (after_chance if kind == "chance" else after_moves)(tree, int(what))


def _blueprint(tree: Any, where: str, text: str, solver: Any) -> Any:
    from equiform.endgames.card_blueprint import card_blueprint, num_ranks, parse_groups
    from equiform.endgames.cut import cut
    from equiform.endgames.methods import Blueprint
    from equiform.formulations.zero_sum import sequence_form_lp
    from equiform.models.sequence_form import sequence_form
    from equiform.models.strategy import Strategy, read_profile

    parts = cut(tree, _condition(tree, where))
    strategies: Any
    if text.startswith("groups:"):
        given = text.removeprefix("groups:").split("-")
        groups = [parse_groups(g, num_ranks(tree)) for g in given]
        strategies = card_blueprint(tree, (groups[0], groups[-1]), solver=solver).strategies
    elif text == "equilibrium":
        strategies = sequence_form_lp.solve(sequence_form(tree), solver=solver).strategies
    elif text == "uniform":
        strategies = tuple(Strategy(t, t.uniform()) for t in tree.treeplexes)
    else:
        strategies = read_profile(text, tree.treeplexes)
    return Blueprint.of(parts, strategies)


def _fair(value: float, player: int) -> float:
    return value if player == 0 else -value


def _property(prepared: Any, deltas: list[float], value: float, solver: Any) -> list[dict[str, Any]]:
    from equiform.endgames.endgame_property import epsilon_star

    return [
        epsilon_star(prepared, delta, value=value, player=p, solver=solver).to_dict()
        for delta in deltas
        for p in (0, 1)
    ]


def _exactly(game: str, prepared: Any, methods: list[str], json: bool) -> None:
    """Print exact gains: whether a method is ever worse is then a question of signs."""
    import dataclasses

    from equiform.validation.exact.endgames import resolve_exactly, rounded

    prepared = dataclasses.replace(prepared, strategies=tuple(rounded(s) for s in prepared.strategies))
    rows = [resolve_exactly(prepared, m, player=p) for m in methods for p in (0, 1)]
    if json:
        print_json({"game": game, "rows": [{"method": r.method, "player": r.player + 1, "gain": r.gain} for r in rows]})
        return
    table = Table("method", "player", "gain, exactly", "about")
    for r in rows:
        text = str(r.gain)
        table.add_row(r.method, str(r.player + 1), text if len(text) < 30 else "…", f"{float(r.gain):+.9f}")
    console.print(table)


def _show(document: dict[str, Any]) -> None:
    console.print(
        f"{document['game']}: value {document['value']:.9f} to player 1, {len(document['endgames'])} endgames "
        f"({document['endgames'][0]}, …)",
        highlight=False,
    )
    table = Table("strategy", "exploitability of player 1", "of player 2", "kept")
    for row in document["rows"]:
        first, second = row["exploitability"]
        kept = "/".join(map(str, row.get("kept", [])))
        table.add_row(row["method"], f"{first:.6f}", f"{second:.6f}", kept)
    console.print(table)
    for point in document["property"]:
        console.print(
            f"ε*({point['delta']:g}) = {point['epsilon']:.9f} for player {point['player']} "
            f"(best response: {point['exploitability']:.9f})",
            highlight=False,
        )
