"""``equiform verify``: is this profile an equilibrium?"""

from __future__ import annotations

from pathlib import Path

import typer

from equiform.cli.options import GAME, JSON
from equiform.cli.output import console, print_json


def verify(
    file: Path = typer.Argument(metavar="FILE", help="A strategy file written by `equiform solve --out`."),  # noqa: B008
    game: str = GAME,
    tolerance: float = typer.Option(
        1e-6, help="Exit with code 1 if a player gains more than this share of the payoffs' spread."
    ),
    absolute: bool = typer.Option(False, "--absolute", help="The tolerance is an amount in the game's own payoffs."),
    json: bool = JSON,
) -> None:
    """Check whether a stored profile is an equilibrium.

    Show each player's payoff, and how much each could gain by deviating.
    """
    from equiform import api
    from equiform.models.common.rational import exact_text

    found = api.verify(file, game, tolerance=tolerance, absolute=absolute)
    if json:
        print_json(found.to_dict())
    else:
        certificate = found.certificate
        for own, payoff, regret in zip(found.profile, certificate.payoffs, certificate.regrets, strict=True):
            console.print(f"{own.treeplex.player}: payoff {payoff:z.9f}, gains at most {regret:z.3e}", highlight=False)
        if certificate.bracket is not None:
            lower, upper = certificate.bracket
            console.print(f"The value of the game lies in [{lower:z.12f}, {upper:z.12f}].", highlight=False)
        if found.exact is not None:
            console.print(f"In exact arithmetic nash_conv is {exact_text(found.exact.nash_conv)}.", highlight=False)
        verdict = "an equilibrium" if found.equilibrium else "not an equilibrium"
        scale = "" if absolute else f" of the payoffs' spread, {certificate.spread:g}"
        console.print(
            f"nash_conv {certificate.nash_conv:z.3e}: {verdict} at tolerance {tolerance:g}{scale}.", highlight=False
        )
    if not found.equilibrium:
        raise typer.Exit(1)
