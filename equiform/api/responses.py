"""Against a known opponent: safe responses, the trade-off between payoff and risk, and gifts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from equiform.api.inputs import GameLike, as_game
from equiform.formulations.inputs.strategies import StrategyLike, strategy_of
from equiform.formulations.opponents import gifts as gift_programs
from equiform.formulations.opponents import tradeoff
from equiform.formulations.opponents.gifts import Gifts
from equiform.formulations.opponents.safe_responder import SafeResponder
from equiform.formulations.opponents.tradeoff import TradeOff
from equiform.formulations.optimization.options import SolverOptions
from equiform.models.common.arguments import require_player
from equiform.models.common.rational import Number, as_fraction
from equiform.models.common.rational_vector import nearest_float
from equiform.models.common.records import plain
from equiform.models.completion import complete
from equiform.models.game import Game, as_sequence_form
from equiform.models.strategy import Strategy

if TYPE_CHECKING:
    from equiform.viewer import Explorer


@dataclass(frozen=True, eq=False)
class SafeResponseFound:
    """A response to an opponent that guarantees the game's value minus ε against everybody else."""

    game: str
    player: int
    against: str
    epsilon: float
    value: float
    """The game's value for the player."""
    payoff: float
    """What the response earns against the opponent."""
    guarantee: float
    """What it earns at least against anybody, by a backward pass."""
    best_response: float
    """What the best response earns, which may risk everything."""
    slope: float
    """What a little more risk would add to the payoff, per unit."""
    strategy: Strategy = field(repr=False)
    opponent: Strategy = field(repr=False)
    curve: TradeOff | None = field(default=None, repr=False)
    origin: Game | None = field(default=None, repr=False)
    """The game, with its tree if it has one."""

    @property
    def profile(self) -> tuple[Strategy, Strategy]:
        """Response and opponent, in the order of the players."""
        return (self.strategy, self.opponent) if self.player == 0 else (self.opponent, self.strategy)

    def view(self) -> Explorer:
        """Return a page to explore the response; with the trade-off curve, it holds a profile per kink.

        Raises
        ------
        ParameterError
            If the game is not known.
        """
        from equiform.api.pages import response_page

        return response_page(self)

    def to_dict(self) -> dict[str, Any]:
        """Return what ``equiform respond --json`` prints; players count from 1."""
        document: dict[str, Any] = {
            "game": self.game,
            "player": self.player + 1,
            "against": self.against,
            "epsilon": self.epsilon,
            "value": self.value,
            "payoff": self.payoff,
            "guarantee": self.guarantee,
            "best_response": self.best_response,
            "slope": self.slope,
            "strategy": self.strategy.table(),
        }
        if self.curve is not None:
            points = zip(self.curve.epsilons.tolist(), self.curve.payoffs.tolist(), strict=True)
            document["curve"] = [{"epsilon": e, "payoff": p} for e, p in points]
        answer: dict[str, Any] = plain(document)
        return answer


def respond(
    game: GameLike,
    *,
    against: StrategyLike = "uniform",
    epsilon: Number = 0,
    player: int = 0,
    curve: bool = False,
) -> SafeResponseFound:
    """Respond best to an opponent, risking at most ε.

    Parameters
    ----------
    game
        Anything that :func:`as_game` takes: a two-player zero-sum game.
    against
        ``"uniform"``, a strategy file, a strategy, or a realization plan of the opponent.
    epsilon
        How far below the game's value the guarantee may lie.
    player
        Who responds, 0 or 1.
    curve
        Whether to compute the payoff for every ε as well.
    """
    loaded = as_game(game)
    form = as_sequence_form(loaded)
    require_player(player, 2, form.name)
    opponent = strategy_of(form, 1 - player, against)
    risk = nearest_float(as_fraction(epsilon))
    responder = SafeResponder(form, player=player)
    found = responder.respond(opponent.plan, risk)
    strategy = complete(form, found.plan, opponent.plan, player=player)
    return SafeResponseFound(
        game=form.name,
        player=player,
        against=str(against) if isinstance(against, str | Path) else "a given strategy",
        epsilon=risk,
        value=responder.value,
        payoff=found.payoff,
        guarantee=-form.treeplexes[1 - player].best_value(form.gradient(1 - player, strategy.plan)),
        best_response=form.best_response(player, opponent.plan).value,
        slope=found.slope,
        strategy=strategy,
        opponent=opponent,
        curve=tradeoff.solve(form, opponent.plan, player=player, responder=responder) if curve else None,
        origin=loaded,
    )


def gifts(game: GameLike, *, player: int = 0, least: bool = True, backend: str = "highs") -> Gifts:
    """List the moves by which the opponent of ``player`` gives something away even to an equilibrium strategy.

    Parameters
    ----------
    game
        Anything that :func:`as_game` takes: a two-player zero-sum game.
    player
        Who receives, 0 or 1.
    least
        Whether to compute also the least that each move gives, which may need binary variables.
    """
    form = as_sequence_form(as_game(game))
    return gift_programs.solve(form, player=player, least=least, solver=SolverOptions(backend))
