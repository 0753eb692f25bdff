"""``equiform agent``: build an agent, look at one, and let one play at somebody's dealer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer
from rich.table import Table

from equiform.cli.experiments.live import live
from equiform.cli.options import JSON
from equiform.cli.output import console, print_json
from equiform.models.common.errors import ParameterError
from equiform.models.common.files import require_writable_folder

if TYPE_CHECKING:
    from equiform.play.holdem.blueprint import Blueprint
    from equiform.play.holdem.buckets import Buckets
    from equiform.play.holdem.folder import StoredAgent

T = TypeVar("T")
agent_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode=None, help="Build agents that play hold'em, and look at them."
)
CARDS = "strength:F,T,R needs no tables; mass:P,F,T,R and kmeans:P,F,T,R group by expected strength; or a FILE.npz."


@agent_app.command("build")
def build(
    folder: Path = typer.Argument(metavar="DIR", help="Where the agent goes."),  # noqa: B008
    game: str = typer.Option("limit", help="limit or no-limit."),
    cards: str = typer.Option("strength:10,10,10", help=CARDS),
    solved: Path = typer.Option(None, help="Take the strategy of this folder of `equiform holdem` instead."),  # noqa: B008
    blueprint_of: Path = typer.Option(  # noqa: B008
        None, "--blueprint", help="Take the strategy of this folder of `equiform blueprint` instead."
    ),
    deals: int = typer.Option(100_000, help="Hands that Monte Carlo CFR deals."),
    seed: int = typer.Option(1, help="Seed of the deals."),
    name: str = typer.Option("", help="What to call the agent; by default the folder's name."),
    sizes: str = typer.Option("1", help="No-limit: raises of the abstraction, in pots, like 0.5,1,2; all-in is added."),
    raises: int = typer.Option(2, help="No-limit: raises per street besides all-in."),
    translation: str = typer.Option("Rand-psHar", help="How bets between the sizes are read."),
    postprocess: str = typer.Option("none", help="none, purify, threshold:0.15 or fold-call-bet."),
    endgames: int = typer.Option(0, help="Re-solve rivers with this many iterations; 0 leaves them as they are."),
    checkpoint: Path = typer.Option(None, help="Store the run in this file, and resume from it."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Solve an abstraction of hold'em and store its agent."""
    from equiform.abstraction.actions.translation import by_name
    from equiform.play.dealer.rules import rules_named
    from equiform.play.holdem.abstract_betting import AbstractBetting, BetMenu
    from equiform.play.holdem.agent import HoldemAgent, post_processor
    from equiform.play.holdem.blueprint import train
    from equiform.play.holdem.endgame import RiverSolver
    from equiform.play.holdem.folder import open_agent, write_agent
    from equiform.play.holdem.partitioned import from_partitioned
    from equiform.play.holdem.solved import from_solved

    require_writable_folder(folder)
    mapping, solver = by_name(translation), RiverSolver(endgames) if endgames else None
    post_processor(postprocess)
    blueprint: Blueprint
    buckets: Buckets
    if solved is not None:
        blueprint, buckets = from_solved(solved)
    elif blueprint_of is not None:
        blueprint, buckets = from_partitioned(blueprint_of)
    else:
        betting = AbstractBetting.build(rules_named(game), BetMenu(read_numbers(sizes, float, "--sizes"), raises))
        buckets = read_cards(cards)
        with live(json) as listener:
            blueprint = train(betting, buckets, deals=deals, seed=seed, checkpoint=checkpoint, progress=listener)
    made = HoldemAgent(name or folder.resolve().name, blueprint, buckets, mapping, postprocess, solver)
    write_agent(folder, made)
    _show(open_agent(folder), json)


@agent_app.command("show")
def show(
    folder: Path = typer.Argument(metavar="DIR", help="An agent's folder."),  # noqa: B008
    json: bool = JSON,
) -> None:
    """Check an agent's files and show what it is made of."""
    from equiform.play.holdem.folder import open_agent

    stored = open_agent(folder)
    assert stored.agent
    _show(stored, json)


@agent_app.command("connect")
def connect(
    player: str = typer.Argument(metavar="AGENT", help="An agent's folder, or always-call, always-raise or uniform."),
    port: int = typer.Argument(metavar="PORT", help="The dealer's port for this player."),
    host: str = typer.Option("127.0.0.1", help="Where the dealer is."),
    game: str = typer.Option("limit", help="limit or no-limit; an agent's folder knows its own."),
    seed: int = typer.Option(0, help="Seed of the agent's own draws."),
    json: bool = JSON,
) -> None:
    """Play for a dealer that speaks the ACPC protocol, ours or another."""
    from dataclasses import asdict

    from equiform.play.league.players import open_player
    from equiform.play.protocols import play_as_client

    found, rules = open_player(player, game=game, seed=seed)
    report = play_as_client(found, rules, port, host=host)
    if json:
        print_json({"player": found.name, **asdict(report)})
        return
    console.print(f"{found.name}: {report.hands:,} hands, {report.moves:,} moves; {report.ended}.")


def read_numbers(text: str, kind: Callable[[str], T], where: str) -> tuple[T, ...]:
    """Read a list such as ``0.5,1,2``."""
    try:
        return tuple(kind(piece) for piece in text.split(",") if piece.strip())
    except ValueError:
        raise ParameterError(f"{text!r} is not a list of numbers", where=where, fix="write them like 1,2") from None


def read_cards(text: str) -> Buckets:
    """Read ``--cards``."""
    from equiform.abstraction.cards.card_abstraction import read_card_abstraction
    from equiform.play.holdem.buckets import ROLLOUTS, StrengthBuckets, TableBuckets, by_rollout

    method, colon, numbers = text.partition(":")
    if colon and method == "strength":
        return StrengthBuckets(read_numbers(numbers, int, "--cards"))
    if colon and method in ROLLOUTS:
        return by_rollout(method, read_numbers(numbers, int, "--cards"))
    if colon and not Path(text).exists():
        raise ParameterError(f"there is no method {method!r}", where="--cards", fix=CARDS)
    return TableBuckets(read_card_abstraction(text))


def _show(stored: StoredAgent, json: bool) -> None:
    if json:
        print_json(stored.to_dict())
        return
    manifest, agent = stored.manifest, stored.agent
    table = Table(title=f"{stored.name} ({stored.folder})", title_justify="left", show_header=False)
    menu = manifest["betting"]["menu"]
    betting = (
        "every line"
        if stored.rules.limit
        else f"raises of {menu['sizes']} pots and all-in, {menu['raises']} per street"
    )
    table.add_row("game", stored.rules.name)
    table.add_row("betting", f"{betting}: {int((agent.blueprint.betting.tree.turn >= 0).sum()):,} decisions")
    table.add_row("cards", f"{manifest['buckets']['method']}, {manifest['buckets']['buckets']} buckets")
    table.add_row(
        "strategy", f"{len(agent.blueprint.table):,} probabilities, {manifest['training'].get('deals', 0):,} deals"
    )
    table.add_row("translation", manifest["translation"])
    table.add_row("post-processing", manifest["postprocess"])
    table.add_row(
        "endgames", "no" if not manifest["endgames"] else f"{manifest['endgames']['iterations']} iterations per river"
    )
    console.print(table)
