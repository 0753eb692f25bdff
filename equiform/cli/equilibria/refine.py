"""``equiform respond``, ``gifts`` and ``qpe-table``: beyond one equilibrium."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import typer
from rich.table import Table

from equiform.cli.options import ALL, GAME, JSON, parse_epsilon, seat, shown
from equiform.cli.output import console, print_json, require_drawable, require_target, strategy_table

PLAYER = typer.Option(1, help="Who responds, or who receives the gifts: 1 or 2.")


def respond(
    game: str = GAME,
    against: str = typer.Option(
        "uniform", help="The opponent: a strategy file written by `equiform solve --out`, or uniform."
    ),
    epsilon: str = typer.Option("0", help="How far below the game's value the guarantee may lie, such as 0.1 or 1/10."),
    player: int = PLAYER,
    curve: bool = typer.Option(False, "--curve", help="Show the whole trade-off between payoff and risk."),
    plot: Path = typer.Option(None, help="Draw the trade-off into this .png, .pdf or .svg file."),  # noqa: B008
    page: Path = typer.Option(None, help="Write a page to explore the trade-off to this .html file."),  # noqa: B008
    out: Path = typer.Option(None, help="Write the response and the opponent's strategy to this JSON file."),  # noqa: B008
    everything: bool = ALL,
    json: bool = JSON,
) -> None:
    """Respond best to an opponent, risking at most epsilon.

    The response guarantees the value of the game minus epsilon against every other opponent.
    """
    from equiform import api
    from equiform.models.strategy import write_profile

    require_drawable(plot)
    if page is not None:
        require_target(page, ".html", ".htm")
    found = api.respond(
        game,
        against=against,
        epsilon=parse_epsilon(epsilon) or Fraction(0),
        player=seat(player),
        curve=curve or plot is not None or page is not None,
    )
    if plot is not None and found.curve is not None:
        from equiform.formulations.opponents.tradeoff_plot import plot as draw

        draw({game: found.curve}).write(plot)
    if page is not None:
        found.view().write(page)
    if out is not None:
        write_profile(out, game, found.profile)
    if json:
        print_json(found.to_dict())
        return
    console.print(strategy_table(found.strategy, limit=shown(everything)))
    console.print(
        f"Earns {found.payoff:z.9f} against {against} and guarantees {found.guarantee:z.9f}; "
        f"the game is worth {found.value:z.9f}, a best response earns {found.best_response:z.9f}.",
        highlight=False,
    )
    if curve and found.curve is not None:
        console.print("Payoff against risk (linear between the rows):")  # a table's own title would be broken
        table = Table("epsilon", "payoff")
        for at, payoff in zip(found.curve.epsilons, found.curve.payoffs, strict=True):
            table.add_row(f"{at:z.9f}", f"{payoff:z.9f}")
        console.print(table)
    for file in (plot, page, out):
        if file is not None:
            console.print(f"Written to {file}.")


def gifts(
    game: str = GAME,
    player: int = PLAYER,
    least: bool = typer.Option(
        True, help="Also find the least that each move gives away (it may take binary variables)."
    ),
    json: bool = JSON,
) -> None:
    """List the opponent's moves that give something away.

    These moves lose something even against an equilibrium strategy. Safe exploitation depends on them.
    """
    from equiform import api

    found = api.gifts(game, player=seat(player), least=least)
    if json:
        print_json(found.to_dict())
        return
    if not found.exist:
        console.print(
            f"{game} has no gifts for player {player}: every move of the opponent is a best response to every "
            "equilibrium strategy, so that safe exploitation is not possible.",
            highlight=False,
        )
        return
    table = Table(title=f"What player {3 - player} can give away", title_justify="left")
    later = any(gift.inherited for gift in found.gifts)
    for column in ("information set", "move", "gives at least", "at most", *([""] if later else [])):
        table.add_column(column)
    for gift in found.gifts:
        lowest = "" if gift.least is None else f"{gift.least:z.6f}"
        after = ["after a gift" if gift.inherited else ""] if later else []
        table.add_row(gift.infoset, gift.action, lowest, f"{gift.most:z.6f}", *after)
    console.print(table)


def qpe_table(
    games: list[str] = typer.Argument(None, metavar="GAME", help="By default kuhn, one-card and leduc."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Compare float and exact routes to quasi-perfect equilibria.

    Epsilon runs from 1e-1 down to 1e-9.
    """
    from equiform import api
    from equiform.validation.reproduce.equilibria import qpe_table as table_of

    forms = [api.as_sequence_form(api.as_game(g)) for g in games or ("kuhn", "one-card", "leduc")]
    rows = table_of.qpe_table(forms)
    survived = {
        form.name: {route: table_of.smallest_survived(form, route) for route in table_of.ROUTES} for form in forms
    }
    if json:
        print_json({"rows": [_row(r) for r in rows], "smallest_epsilon": survived})
        return
    table = Table(title="ε-quasi-perfect equilibria", title_justify="left")
    for column in ("game", "ε", "route", "solver says", "residual", "exploitability", "the answer is"):
        table.add_column(column)
    for r in rows:
        table.add_row(
            r.game,
            f"{float(r.epsilon):z.0e}",
            r.route,
            r.outcome if r.outcome == "optimal" else "failed",
            "" if r.residuals is None else f"{r.residuals.worst:z.0e}",
            "" if r.exploitability is None else f"{r.exploitability:z.2e}",
            "right" if r.correct else "WRONG" if r.certified else "refused",
        )
    console.print(table)
    for name, routes in survived.items():
        limits = ", ".join(f"{route} {'never' if e is None else e}" for route, e in routes.items())
        console.print(f"{name}: smallest ε with a right answer (tried down to 1e-12): {limits}.", highlight=False)


def _row(row: Any) -> dict[str, Any]:
    residuals = None
    if row.residuals is not None:
        residuals = {k: getattr(row.residuals, k) for k in ("flow", "tremble", "mistake", "gap")}
    return {
        "game": row.game,
        "epsilon": row.epsilon,
        "route": row.route,
        "outcome": row.outcome,
        "residuals": residuals,
        "exploitability": row.exploitability,
        "certified": row.certified,
        "correct": row.correct,
        "seconds": row.seconds,
    }
