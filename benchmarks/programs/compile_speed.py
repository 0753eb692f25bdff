"""How fast rules become arrays, against a goal of 200,000 nodes per second, and how fast foreign games are read."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.registry import Row, entry, seconds
from equiform.games import load_game, load_openspiel, openspiel_game
from equiform.games.formats.efg import format_efg, parse_efg
from equiform.models import ExtensiveGame

WANTED = 200_000
SPECS = ("one-card:cards=200", "leduc:ranks=13", "leduc-nl", "liars-dice", "goofspiel:cards=6", "kuhn-nl:stack=100")


def nodes_per_second(spec: str, *, repeat: int = 3) -> float:
    """Compile a game from its rules and return the median speed."""
    game = load_game(spec)
    assert isinstance(game, ExtensiveGame)
    return game.num_nodes / seconds(lambda: load_game(spec), repeat=repeat)


@entry("compile-speed")
def compile_speed() -> Iterator[Row]:
    """Measure nodes per second from rules to arrays on one thread."""
    for spec in SPECS:
        speed = nodes_per_second(spec)
        yield Row(spec, speed, "nodes/s", "the goal", WANTED, 1, higher_is_better=True, note="rules to arrays")


@entry("loader-speed")
def loader_speed() -> Iterator[Row]:
    """Load OpenSpiel's liar's dice, compared with merely visiting its states in Python; and Gambit's text format."""
    game = load_openspiel("liars_dice")
    theirs = seconds(lambda: _visit("liars_dice"), repeat=3)
    ours = seconds(lambda: load_openspiel("liars_dice"), repeat=3)
    yield Row(
        "openspiel:liars_dice", ours, "s", "a bare walk over its states", theirs, note=f"{game.num_nodes:,} nodes"
    )
    text = format_efg(game)
    writing = game.num_nodes / seconds(lambda: format_efg(game), repeat=3)
    reading = game.num_nodes / seconds(lambda: parse_efg(text), repeat=3)
    yield Row("writing .efg", writing, "nodes/s", "the goal", 100_000, 1, higher_is_better=True)
    yield Row("reading .efg", reading, "nodes/s", "the goal", 100_000, 1, higher_is_better=True)


def _visit(name: str) -> int:
    """Ask OpenSpiel for what a tree needs, and keep nothing."""
    stack, nodes = [openspiel_game(name).new_initial_state()], 0
    while stack:
        state = stack.pop()
        nodes += 1
        if state.is_terminal():
            state.returns()
        else:
            if not state.is_chance_node():
                state.information_state_string()
            stack.extend(state.child(action) for action in state.legal_actions())
    return nodes
