"""``equiform parametric``, the sweep, the pictures and the best responses it shows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from equiform.api.thresholds import parse_model
from equiform.cli.equilibria.parametric import parametric, read_signals
from equiform.formulations.parametric import milfp
from equiform.formulations.parametric.plots import draw_regions
from equiform.games.poker.signal_games import (
    SIGNAL_GAMES,
    bet_or_check,
    bet_or_check_model,
    limit_river,
    limit_river_models,
    load_signal_game,
    three_player,
    three_player_model,
)
from equiform.models.common.errors import InfeasibleError, LimitError, ParameterError
from equiform.models.signals.deals import Signals
from equiform.models.signals.evaluation import best_response_stretches
from equiform.models.signals.threshold_profile import ThresholdProfile
from equiform.validation.reproduce.parametric.breakpoint_sweep import (
    draw_sweep,
    parse_configuration,
    solve_within,
    sweep,
)

app = typer.Typer()
app.command()(parametric)


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


def test_thresholds_are_printed_with_their_names() -> None:
    shown = run("bet-or-check:pot=1")
    assert "a = 0.222222" in shown and "b = 0.888889" in shown and "c = 0.444444" in shown


def test_json_and_picture(tmp_path: Path) -> None:
    file = tmp_path / "river.png"
    answer = json.loads(run("limit-river", "--cdf", "random:3:4", "--plot", str(file), "--json"))
    assert answer["epsb_epsilon"] < 1e-6
    assert answer["model"].startswith("figure 11.")
    assert file.stat().st_size > 5_000


def test_own_model_on_the_command_line() -> None:
    text = "BET a CHECK b BET | CALL c FOLD; a <= c <= b"
    answer = json.loads(run("bet-or-check", "--model", text, "--cdf", "0,0.5,1:0.2,0.8", "--json"))
    assert answer["tried"] == ["model 1"]
    assert answer["epsb_epsilon"] < 1e-9
    assert set(answer["thresholds"]) == {"a", "b", "c"}


def test_finite_and_dependent_signals_use_the_every_signal_program() -> None:
    answer = json.loads(run("kuhn-deck:cards=5", "--json"))
    assert answer["epsb_epsilon"] < 1e-9
    finite = json.loads(run("bet-or-check", "--cdf", "finite:0.25,0.25,0.5", "--json"))
    assert finite["epsb_epsilon"] < 1e-9


def test_a_wrong_model_shows_the_best_responses() -> None:
    shown = run("bet-or-check", "--model", "CHECK a BET | CALL c FOLD", "--closest", "--no-polish")
    assert "Missed: player 1 at bottom: CHECK over BET by 0.5" in " ".join(shown.split())
    assert "player 1: BET [0, 0.25], CHECK [0.25, 1]" in shown


def test_an_infeasible_model_names_what_was_tried_and_how_far_it_is() -> None:
    wrong = ("--model", "CHECK a BET | CALL c FOLD; a <= c", "--model", "CHECK a BET | CALL c FOLD; c <= a")
    with pytest.raises(
        InfeasibleError, match=r"models tried: model 1, model 2; the closest.*by 0\.5 in all.*--closest"
    ):
        run("bet-or-check", *wrong)


def test_three_players_with_finite_signals_are_told_how_far_off_ties_leave_them() -> None:
    shown = run("three-player", "--cdf", "finite:0.25,0.25,0.25,0.25", "--breakpoints", "5")
    assert "Signal i is the stretch" in shown and "not an equilibrium" in shown


def test_sweep_makes_a_table_and_a_plot(tmp_path: Path) -> None:
    file = tmp_path / "sweep.svg"
    shown = run("three-player", "--sweep", "3,5", "--on", "highs:unary", "--on", "scip:sos2", "--plot", str(file))
    assert "highs unary" in shown and "scip sos2" in shown
    assert file.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("chess",), "no signal game"),
        (("bet-or-check:size=2",), "no parameter"),
        (("bet-or-check", "--cdf", "normal"), "not a distribution"),
        (("bet-or-check", "--cdf", "uniform", "--cdf", "uniform", "--cdf", "uniform"), "3 distributions"),
        (("bet-or-check", "--cdf", "uniform", "--cdf", "finite:1"), "cannot be mixed"),
        (("bet-or-check", "--plot", "here.txt"), "cannot draw"),
        (("three-player", "--sweep", "few"), "list of numbers"),
        (("three-player", "--sweep", "5", "--on", "highs:unary:many"), "not a number of rounds"),
        (("bet-or-check", "--sweep", "5"), "no products"),
        (("kuhn-deck", "--cdf", "uniform"), "its own distribution"),
    ],
)
def test_refusals(arguments: tuple[str, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        run(*arguments)


def test_every_registered_game_builds_and_fits_its_models() -> None:
    for name in SIGNAL_GAMES:
        game, entry = load_signal_game(name)
        assert len(game.players) == entry.players
        for model in entry.models():
            model.check(game)


def test_texts_are_read() -> None:
    model = parse_model("BET a CHECK | CALL c FOLD; a <= c", "mine")
    assert model.order == {("a", "c")}
    assert read_signals(["uniform"], 3).num_players == 3


def test_sweep_agrees_across_solvers_and_falls() -> None:
    rows = sweep(
        three_player(),
        three_player_model(),
        (5, 9),
        [parse_configuration(t) for t in ("highs", "highs:log", "scip:unary", "scip:sos2")],
    )
    by_number = {n: [r.epsilon for r in rows if r.breakpoints == n] for n in (5, 9)}
    for values in by_number.values():
        assert all(v == pytest.approx(values[0], rel=1e-3) for v in values)  # one interpolated equilibrium for all
    assert by_number[5][0] == pytest.approx(0.01, abs=0.005)  # thesis: "0.01 using just 5 breakpoints"
    assert draw_sweep(rows) is not None
    assert rows[0].guaranteed == 24


@pytest.mark.slow
def test_epsilon_against_breakpoints_as_in_figure_11_7() -> None:
    rows = sweep(three_player(), three_player_model(), (5, 15, 30, 50), [parse_configuration("scip:unary")])
    found = [r.epsilon for r in rows]
    assert all(e is not None for e in found)
    assert found[0] == pytest.approx(0.01, abs=0.005)
    assert found[-1] is not None and found[-1] < 1e-4  # thesis: about 1e-5; where breakpoints fall decides the digit
    (lucky,) = sweep(three_player(), three_player_model(), (51,), [parse_configuration("scip:unary")])
    assert lucky.epsilon is not None and lucky.epsilon < 1e-5
    assert all(r.epsilon is not None and r.epsilon < r.guaranteed / 100 for r in rows)


def test_failed_solves_are_rows_with_a_note() -> None:
    (row,) = sweep(three_player(), three_player_model(), (30,), [parse_configuration("highs:log")], time_limit=0.01)
    assert row.epsilon is None and row.note


def test_breakpoints_are_added_until_the_target_is_met() -> None:
    result = solve_within(three_player(), three_player_model(), 5e-3, backend="scip")
    assert result.epsilon <= 5e-3
    with pytest.raises(LimitError, match="best so far"):
        solve_within(three_player(), three_player_model(), 1e-12, start=3, most=4)
    with pytest.raises(ParameterError, match="not positive"):
        solve_within(three_player(), three_player_model(), 0)


def test_pictures_of_situations(tmp_path: Path) -> None:
    profile = milfp.solve(limit_river(4), limit_river_models()[0]).profile
    draw_regions(profile, by_situation=True).write(tmp_path / "river.pdf")
    assert (tmp_path / "river.pdf").read_bytes().startswith(b"%PDF")
    assert list(tmp_path.iterdir()) == [tmp_path / "river.pdf"]


def test_best_response_stretches_by_hand() -> None:
    # If player 2 calls up to c, betting is best up to c/2 and from c (ρ+1)/ρ on (Proposition 17).
    game, c = bet_or_check(3), 0.6
    profile = ThresholdProfile.at_signals(game, bet_or_check_model(), {"a": 0.1, "b": 0.7, "c": c})
    fine, strategies = profile.refined
    stretches = best_response_stretches(fine, strategies, 0)
    assert [s.plan for s in stretches] == ["BET", "CHECK", "BET"]
    assert [s.high for s in stretches] == pytest.approx([c / 2, c * 4 / 3, 1])
    finite = game.with_signals(Signals.finite(np.full(10, 0.1), np.full(10, 0.1)))
    played = ThresholdProfile(finite, bet_or_check_model(), np.array([1.0, 7.0, 6.0]))
    found = best_response_stretches(finite, played.strategies, 0)
    assert found[0].plan == "BET" and found[0].low == 1 and found[-1].high == 10
