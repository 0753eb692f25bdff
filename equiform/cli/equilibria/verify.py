"""``equiform verify``: is this profile an equilibrium?"""

from __future__ import annotations

from pathlib import Path

import typer

from equiform.cli.options import GAME, JSON
from equiform.cli.output import console, print_json


def verify(
    file: Path = typer.Argument(metavar="FILE", help="A strategy file written by `equiform solve --out`."),  # noqa: B008
    game: str = GAME,
    tolerance: float = typer.Option(1e-6, help="Exit with code 1 if a player can gain more than this."),
    json: bool = JSON,
) -> None:
    """Check whether a stored profile is an equilibrium.

    Shows what it is worth to each player and how much each could gain.
    """
    from equiform import api
    from equiform.models.common.rational import exact_text
    from equiform.models.strategy import read_profile
    from equiform.validation.certificates.certificate import certify
    from equiform.validation.certificates.exact_evaluation import exact_evaluate

    loaded = api.as_game(game)
    profile = read_profile(file, loaded.treeplexes)
    certificate = certify(loaded, profile)
    exact = None
    if all(s.is_exact for s in profile):
        exact = exact_evaluate(loaded, profile)
    holds = max(certificate.regrets) <= tolerance
    if json:
        print_json(
            {
                "game": game,
                "file": str(file),
                "payoffs": list(certificate.payoffs),
                "regrets": list(certificate.regrets),
                "nash_conv": certificate.nash_conv,
                "exploitability": certificate.exploitability,
                "bracket": None if certificate.bracket is None else list(certificate.bracket),
                "exact": None
                if exact is None
                else {
                    "payoffs": exact.payoffs,
                    "regrets": exact.regrets,
                    "nash_conv": exact.nash_conv,
                    "exploitability": exact.exploitability,
                },
                "tolerance": tolerance,
                "equilibrium": holds,
            }
        )
    else:
        for player, payoff, regret in zip(loaded.treeplexes, certificate.payoffs, certificate.regrets, strict=True):
            console.print(f"{player.player}: payoff {payoff:.9f}, gains at most {regret:.3e}", highlight=False)
        if certificate.bracket is not None:
            lower, upper = certificate.bracket
            console.print(f"The value of the game lies in [{lower:.12f}, {upper:.12f}].", highlight=False)
        if exact is not None:
            console.print(f"In exact arithmetic nash_conv is {exact_text(exact.nash_conv)}.", highlight=False)
        verdict = "an equilibrium" if holds else "not an equilibrium"
        console.print(f"nash_conv {certificate.nash_conv:.3e}: {verdict} at tolerance {tolerance:g}.", highlight=False)
    if not holds:
        raise typer.Exit(1)
