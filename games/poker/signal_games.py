r"""The signal games of Ganzfried (2015), chapter 11: betting trees with private signals.

* :func:`bet_or_check` — §11.3: player 1 bets 1 or checks a pot of ρ, player 2 calls or folds; the lower signal wins.
* :func:`limit_river` — §11.8.2: the last street of limit hold 'em with one raise, close to Game 10 of Chen and
  Ankenman's *The Mathematics of Poker*.
* :func:`three_player` — §11.8.3: blinds of 1 and 2, raise to 4 or fold.
* :func:`kuhn_signals` — §11.8.1: generalised Kuhn poker :math:`G_n` on a deck without replacement, or :math:`G_\infty`
  on the unit interval; the higher signal wins.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from equiform.models.common.arguments import require_name
from equiform.models.common.errors import ParameterError
from equiform.models.common.parameters import Parameter
from equiform.models.common.rational import Number, as_fraction
from equiform.models.signals.deals import Signals, deck_without_replacement, uniform_signals
from equiform.models.signals.parametric_model import ParametricModel
from equiform.models.signals.signal_game import Decision, Showdown, SignalGame

_TWO = ("player 1", "player 2")
_BOTH = (0, 1)


def bet_or_check(pot: Number = 1, *, bet: Number = 1, signals: Signals | None = None) -> SignalGame:
    """Build the motivating example: payoffs are chips won out of pot and bets, so they sum to the pot."""
    rho, stake = _positive("pot", pot), _positive("bet", bet)
    called = Showdown.pot((stake, stake), _BOTH, extra=rho)
    answer = Decision(1, {"CALL": called, "FOLD": Showdown.settled(rho, 0)})
    root = Decision(0, {"BET": answer, "CHECK": Showdown.pot((0, 0), _BOTH, extra=rho)})
    return SignalGame.from_betting(f"bet or check, pot {rho}", _TWO, root, signals or uniform_signals())


def limit_river(pot: Number = 4, *, signals: Signals | None = None) -> SignalGame:
    """Build the river game: player 1 checks or bets 1; a bet can be folded to, called or raised by 1."""
    rho = _positive("pot", pot)

    def contest(first: int, second: int) -> Showdown:
        return Showdown.pot((first, second), _BOTH, extra=rho)

    raised = Decision(0, {"CALL": contest(2, 2), "FOLD": Showdown.settled(-1, rho + 1)})
    after_bet = Decision(1, {"RAISE": raised, "CALL": contest(1, 1), "FOLD": Showdown.settled(rho, 0)})
    check_bet = Decision(0, {"CALL": contest(1, 1), "FOLD": Showdown.settled(0, rho)})
    after_check = Decision(1, {"BET": check_bet, "CHECK": contest(0, 0)})
    root = Decision(0, {"BET": after_bet, "CHECK": after_check})
    return SignalGame.from_betting(f"limit river, pot {rho}", _TWO, root, signals or uniform_signals())


def three_player(*, signals: Signals | None = None) -> SignalGame:
    """Build the three-player game: the first to enter raises to 4 or folds, those behind call or fold."""
    players = ("player 1", "player 2", "player 3")

    def ends(contributions: tuple[int, int, int], *contenders: int) -> Showdown:
        return Showdown.pot(contributions, contenders)

    third_after_call = Decision(2, {"CALL": ends((4, 4, 4), 0, 1, 2), "FOLD": ends((4, 4, 2), 0, 1)})
    third_after_fold = Decision(2, {"CALL": ends((4, 1, 4), 0, 2), "FOLD": ends((4, 1, 2), 0)})
    third_after_raise = Decision(2, {"CALL": ends((0, 4, 4), 1, 2), "FOLD": ends((0, 4, 2), 1)})
    second_facing = Decision(1, {"CALL": third_after_call, "FOLD": third_after_fold})
    second_first_in = Decision(1, {"RAISE": third_after_raise, "FOLD": ends((0, 1, 2), 2)})
    root = Decision(0, {"RAISE": second_facing, "FOLD": second_first_in})
    return SignalGame.from_betting("three-player raise or fold", players, root, signals or uniform_signals(3))


def kuhn_signals(cards: int | None = None, *, signals: Signals | None = None) -> SignalGame:
    """Build Kuhn poker with n cards dealt without replacement, or with a number from [0, 1] each (``cards=None``)."""
    if signals is None:
        signals = uniform_signals() if cards is None else deck_without_replacement(cards)
    elif cards is not None:
        raise ParameterError(
            "a deck of cards has its own distribution of signals",
            where=f"{cards} cards and other signals",
            fix="use Kuhn poker on the unit interval (kuhn-infinity) with these signals",
        )
    after_bet = Decision(1, {"CALL": Showdown.pot((2, 2), _BOTH), "FOLD": Showdown.settled(1, -1)})
    check_bet = Decision(0, {"CALL": Showdown.pot((2, 2), _BOTH), "FOLD": Showdown.settled(-1, 1)})
    after_check = Decision(1, {"BET": check_bet, "CHECK": Showdown.pot((1, 1), _BOTH)})
    root = Decision(0, {"BET": after_bet, "CHECK": after_check})
    name = "Kuhn poker on the unit interval" if cards is None else f"Kuhn poker with {cards} cards"
    return SignalGame.from_betting(name, _TWO, root, signals, lower_wins=False)


# -- how their equilibria look ----------------------------------------------------------------------------------------


def bet_or_check_model() -> ParametricModel:
    r"""Bet the best and the worst signals: :math:`x_1^* \le x_2^* \le x_1^{**}` (§11.3)."""
    return ParametricModel.parse("value bet and bluff", ["BET a CHECK b BET", "CALL c FOLD"], order="a <= c <= b")


def limit_river_models() -> tuple[ParametricModel, ParametricModel, ParametricModel]:
    """Return the models of Figures 11.3, 11.4 and 11.5.

    The figures are described in the text: thresholds a–d of player 1 and e–i of player 2, i below d in the first model
    and above it in the second, and a third in which player 1 always checks. Where player 1's calling threshold c lies
    among g and h differs between signal distributions, so this is left open.
    """
    first = "BET-CALL a BET-FOLD b CHECK-CALL c CHECK-FOLD d BET-FOLD"
    second = "RAISE/BET e CALL/BET f CALL/CHECK g RAISE/CHECK h FOLD/CHECK i FOLD/BET"
    return (
        ParametricModel.parse("figure 11.3", [first, second], order="e <= a; b <= f <= c <= i <= d"),
        ParametricModel.parse("figure 11.4", [first, second], order="e <= a; b <= f <= c; h <= d <= i"),
        ParametricModel.parse("figure 11.5", ["CHECK-CALL c CHECK-FOLD", second], order="f <= c <= i"),
    )


def three_player_model() -> ParametricModel:
    """Return the model of Figure 11.6: one threshold per betting situation."""
    players = [
        "RAISE a FOLD",
        "CALL/RAISE b FOLD/RAISE c FOLD/FOLD",
        "CALL/CALL/CALL d FOLD/CALL/CALL e FOLD/FOLD/CALL f FOLD/FOLD/FOLD",
    ]
    return ParametricModel.parse("figure 11.6", players, order="d <= b <= e <= a <= f <= c")


def kuhn_model() -> ParametricModel:
    """Return the model of Kuhn poker for many cards: six thresholds, the bluffs at the bottom of the scale."""
    players = ["BET a CHECK-FOLD b CHECK-CALL c BET", "FOLD/BET d FOLD/CHECK e CALL/CHECK f CALL/BET"]
    return ParametricModel.parse("bluff, check, value bet", players, order="a <= d <= b; b <= f <= c; d <= e <= f")


# -- games by name ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SignalGameEntry:
    """A signal game by name: what it is, how to build it, and the models that describe its equilibria."""

    name: str
    summary: str
    players: int
    build: Callable[..., SignalGame]
    models: Callable[[], tuple[ParametricModel, ...]]
    parameters: tuple[Parameter, ...] = ()


_POT = Parameter("pot", Fraction(1), "what is in the pot before the betting", low=Fraction(1, 1000))
_RIVER_POT = Parameter("pot", Fraction(4), "what is in the pot before the betting", low=Fraction(1, 1000))
_BET = Parameter("bet", Fraction(1), "the size of the bet", low=Fraction(1, 1000))
_CARDS = Parameter("cards", 13, "cards in the deck", low=2, high=500)

SIGNAL_GAMES: dict[str, SignalGameEntry] = {
    entry.name: entry
    for entry in (
        SignalGameEntry(
            "bet-or-check",
            "bet or check, then call or fold (§11.3)",
            2,
            bet_or_check,
            lambda: (bet_or_check_model(),),
            (_POT, _BET),
        ),
        SignalGameEntry(
            "limit-river", "the limit river with one raise (§11.8.2)", 2, limit_river, limit_river_models, (_RIVER_POT,)
        ),
        SignalGameEntry(
            "three-player",
            "raise to 4 or fold, three players (§11.8.3)",
            3,
            three_player,
            lambda: (three_player_model(),),
        ),
        SignalGameEntry(
            "kuhn-infinity", "Kuhn poker on the unit interval (§11.8.1)", 2, kuhn_signals, lambda: (kuhn_model(),)
        ),
        SignalGameEntry(
            "kuhn-deck",
            "Kuhn poker with a deck of cards, dealt without replacement (§11.8.1)",
            2,
            kuhn_signals,
            lambda: (kuhn_model(),),
            (_CARDS,),
        ),
    )
}


def load_signal_game(spec: str, signals: Signals | None = None) -> tuple[SignalGame, SignalGameEntry]:
    """Load a signal game by its spec, such as ``limit-river:pot=6``, with given signals or its own.

    >>> load_signal_game("bet-or-check:pot=2")[0].name
    'bet or check, pot 2'
    """
    name, _, rest = spec.partition(":")
    entry = SIGNAL_GAMES[require_name(name.strip(), SIGNAL_GAMES, "signal game", spec)]
    values = {p.name: p.default for p in entry.parameters}
    known = {p.name: p for p in entry.parameters}
    for part in filter(None, (piece.strip() for piece in rest.split(","))):
        key, _, text = part.partition("=")
        if key not in known:
            offer = "; ".join(f"{p.name}, {p}" for p in entry.parameters) or "none"
            raise ParameterError(f"{entry.name} has no parameter {key!r}", where=spec, fix=f"its parameters: {offer}")
        values[key] = known[key].parse(text, spec)
    return entry.build(**values, signals=signals), entry


def _positive(name: str, value: Number) -> Number:
    number = as_fraction(value)
    if number <= 0:
        raise ParameterError(f"the {name} is not positive", where=f"{name}={value}", fix="use a number above 0")
    return number
