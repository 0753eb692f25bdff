"""``equiform play``: a person against an agent, in the terminal."""

from __future__ import annotations

import typer

from equiform.cli.output import console


def play(
    agent: str = typer.Argument(metavar="AGENT", help="An agent's folder, always-call, always-raise or uniform."),
    game: str = typer.Option("limit", help="limit or no-limit; an agent's folder knows its own."),
    hands: int = typer.Option(100, help="How many hands to play; `quit` ends the match earlier."),
    seed: int = typer.Option(1, help="Seed of the cards and of the agent's draws."),
) -> None:
    """Play hold'em against an agent.

    Answer with fold, check, call, raise or quit. In no-limit games, say raise and the number of chips that you will
    have put in during the hand.
    """
    from equiform.cli.play.person import Leaves, Person, report
    from equiform.models.common.arguments import require_count
    from equiform.play.dealer.hand import play_hand, shuffled
    from equiform.play.dealer.match import seat_of
    from equiform.play.league.players import open_player

    require_count(hands, "hands", "--hands")
    opponent, rules = open_player(agent, game=game, seed=seed)
    you = Person("you")
    won = played = 0
    try:
        for number in range(hands):
            order = (you, opponent) if seat_of(0, number, 0) == 0 else (opponent, you)
            record = play_hand(rules, shuffled(seed, number), order, number=number)
            won, played = won + record.won_by(you.name), played + 1
            report(record, you.name, won)
    except Leaves:
        pass
    mean = 1000 * won / rules.big_blind / max(played, 1)
    console.print(
        f"{played} hand{'s' if played != 1 else ''}: you won {won:+,} chips, {mean:+.0f} mbb per hand.", highlight=False
    )
