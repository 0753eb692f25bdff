r"""Any finite OpenSpiel game (Lanctot et al. 2019) as one of ours.

OpenSpiel speaks floats: chance probabilities and returns become the simplest fractions that round to them, and a
distribution that then misses one by a rounding error is scaled to sum to one exactly. Simultaneous moves are made one
after another, each hidden from the rest (OpenSpiel's own conversion). A player's information set is the
``information_state_string``; where these strings forget the player's own past (open-bid ``goofspiel``, say), sets are
split until recall is perfect (:mod:`equiform.games.recall`).
"""

from __future__ import annotations

import logging
from fractions import Fraction
from types import ModuleType
from typing import Any, NamedTuple

from equiform.games.formats.gambit_text import distinct_labels
from equiform.games.recall import with_perfect_recall
from equiform.models.common.arguments import near_names
from equiform.models.common.errors import (
    ActionMismatchError,
    BackendMissingError,
    EquiformError,
    GameError,
    ParameterError,
    UnsupportedGameError,
)
from equiform.models.common.rational import as_fraction
from equiform.models.compile import collector_paused
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import CHANCE, TERMINAL
from equiform.models.size import EVERY, SizeWatch, estimate_nodes
from equiform.models.tree_record import TreeRecord

_LOG = logging.getLogger(__name__)

_SPIEL_TERMINAL = -4
_ROUNDING = Fraction(1, 10**9)


class InfoState(NamedTuple):
    """The key of an information set: OpenSpiel's string and the numbers of its actions there."""

    text: str
    actions: tuple[int, ...]


def load_openspiel(name: str, *, max_nodes: int = 5_000_000, perfect_recall: bool = True) -> ExtensiveGame:
    """Load an OpenSpiel game.

    Parameters
    ----------
    name
        OpenSpiel's game string, such as ``goofspiel(num_cards=4,imp_info=True)``.
    max_nodes
        How many nodes the tree may have.
    perfect_recall
        Split information sets whose strings forget the player's own past. Without it they are taken as they are, and
        programs that need perfect recall will refuse the game.

    Raises
    ------
    BackendMissingError
        If OpenSpiel is not installed.
    ParameterError
        If OpenSpiel does not know the game or refuses its parameters.
    UnsupportedGameError
        If the game has no finite tree, or does not say what its players know.
    GameError
        If the tree is too large.
    """
    walk = _Walk(name, max_nodes)
    try:
        with collector_paused():
            game = walk.run()
    except MemoryError:  # C++'s bad_alloc among them
        raise walk.watch.out_of_memory() from None
    except (pyspiel_module().SpielError, RuntimeError, ValueError, IndexError, KeyError, OverflowError) as error:
        if isinstance(error, EquiformError):
            raise
        raise GameError(
            f"OpenSpiel fails on a state of this game: {_first_line(error)}",
            where=f"openspiel:{name}",
            fix="choose other parameters, or report it to OpenSpiel",
        ) from None
    if perfect_recall and not game.has_perfect_recall:
        split = with_perfect_recall(game)
        _LOG.info("%s: split %d information sets into %d", game.name, game.num_infosets, split.num_infosets)
        return split
    return game


def openspiel_game(name: str) -> Any:
    """Return OpenSpiel's own game object (turn-based), or raise a typed error that says why there is none."""
    spiel = pyspiel_module()
    short = name.split("(", 1)[0].strip()
    known = spiel.registered_names()
    if short not in known:
        raise ParameterError(
            f"OpenSpiel has no game called {short!r}",
            where=f"openspiel:{name}",
            fix=f"{near_names(short, known)}pyspiel.registered_names() lists all",
        )
    try:
        game = spiel.load_game(name)
        kind = game.get_type()
        if kind.dynamics == spiel.GameType.Dynamics.MEAN_FIELD:
            raise UnsupportedGameError(
                f"{short} is a mean-field game without a finite tree of single players", where=f"openspiel:{name}"
            )
        if kind.chance_mode == spiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise UnsupportedGameError(
                f"{short} samples its chance moves and does not tell their probabilities", where=f"openspiel:{name}"
            )
        if kind.dynamics == spiel.GameType.Dynamics.SIMULTANEOUS:
            game = spiel.convert_to_turn_based(game)
            kind = game.get_type()
        if not (kind.provides_information_state_string or kind.information == _perfect_information(spiel)):
            raise UnsupportedGameError(
                f"{short} does not say what its players know (no information_state_string)",
                where=f"openspiel:{name}",
                fix="choose a game that provides information states",
            )
    except EquiformError:
        raise
    except MemoryError:
        raise GameError(f"{short} does not fit into memory", where=f"openspiel:{name}") from None
    except Exception as error:  # games written in Python raise whatever they like
        raise ParameterError(
            f"OpenSpiel refuses the game: {_first_line(error)}",
            where=f"openspiel:{name}",
            fix="check the game string and its parameters",
        ) from None
    return game


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


class _Walk:
    """A walk through OpenSpiel's states. Depth first: few of them live at a time, and their memory stays in cache."""

    def __init__(self, name: str, max_nodes: int) -> None:
        self.name = f"openspiel:{name}"
        self.spiel_game = openspiel_game(name)
        players = tuple(f"player {p + 1}" for p in range(self.spiel_game.num_players()))
        self.record = TreeRecord(self.name, players, describe_state)
        self.watch = SizeWatch(self.name, max_nodes, self._estimate)
        # by string: the information set and its actions
        self.known: tuple[dict[str, tuple[int, list[int]]], ...] = tuple({} for _ in players)
        # a deck deals from few distinct distributions and most lists of labels come often
        self.odds: dict[tuple[float, ...], list[int]] = {}
        self.labels: dict[tuple[str, ...], int] = {}

    def run(self) -> ExtensiveGame:
        """Walk the tree. Local names and unbound methods: most of the time should be OpenSpiel's own."""
        record, known, state_type = self.record, self.known, pyspiel_module().State
        child, apply, turn, returns = (
            state_type.child,
            state_type.apply_action,
            state_type.current_player,
            state_type.returns,
        )
        has_strings = self.spiel_game.get_type().provides_information_state_string
        text_of = state_type.information_state_string if has_strings else state_type.history_str
        legal_of = state_type.legal_actions
        turns, outcomes, payoff_number = record.turns, record.outcomes, record.payoff_number
        look, looked, most = self.watch.look, 0, self.watch.max_nodes
        add_turn, add_outcome = turns.append, outcomes.append
        add_expanded, add_offer = record.expanded.append, record.offers.append
        root = self.spiel_game.new_initial_state()
        add_turn(turn(root))
        pending = [(root, turns[0], 0)]  # states, whose turn it is, and the numbers of their nodes
        while pending:
            state, who, node = pending.pop()
            if who >= 0:
                text, actions = text_of(state), legal_of(state)
                offer, expected = known[who].get(text) or self._new_infoset(state, who, text, actions, node)
                if actions != expected:
                    raise ActionMismatchError(
                        f"two nodes of one information set offer the actions {tuple(expected)} and {tuple(actions)}",
                        where=f"{self.name}, player {who + 1}, {text!r}",
                        fix="report it to the game's authors: the information state string is too coarse",
                    )
            else:
                offer, actions = self._chance(state, who, node)
            if len(turns) >= looked:
                look(len(turns) + len(actions) - 1)
                looked = min(len(turns) + EVERY, most)
            add_expanded(node)
            add_offer(offer)
            last = actions[-1]
            for action in actions:
                if action != last:
                    below = child(state, action)
                else:  # nobody needs the parent any more: one copy less
                    apply(state, action)
                    below = state
                who = turn(below)
                if who == _SPIEL_TERMINAL:
                    pay = tuple(returns(below))
                    number = payoff_number.get(pay)
                    add_outcome(record.new_payoffs(pay, len(turns)) if number is None else number)
                    add_turn(TERMINAL)
                else:
                    pending.append((below, who, len(turns)))
                    add_turn(who)
        return record.game()

    def _estimate(self) -> float:
        """Estimate the size of the tree from samples."""

        def children(state: Any) -> list[int]:
            moves: list[int] = [] if state.is_terminal() else state.legal_actions()
            return moves

        return estimate_nodes(self.spiel_game.new_initial_state, children, lambda state, move: state.child(move))

    def _new_infoset(self, state: Any, who: int, text: str, actions: list[int], node: int) -> tuple[int, list[int]]:
        moves = self._moves(state, who, actions, node)
        infoset = self.record.new_infoset(who, InfoState(text, tuple(actions)), moves)
        self.known[who][text] = infoset, actions
        return infoset, actions

    def _chance(self, state: Any, who: int, node: int) -> tuple[int, list[int]]:
        if who != CHANCE:
            raise UnsupportedGameError(f"the move belongs to {who}: neither a player nor chance", where=self.name)
        outcomes = state.chance_outcomes()
        actions = [a for a, _ in outcomes]
        odds = tuple([p for _, p in outcomes])
        edges = self.odds.get(odds)
        if edges is None:
            edges = self.odds[odds] = self.record.distribution(exact_distribution(odds), len(actions), node)
        self.record.edges += edges
        return ~self._moves(state, CHANCE, actions, node), actions

    def _moves(self, state: Any, who: int, actions: list[int], node: int) -> int:
        """Number the labels of actions."""
        label = state.action_to_string
        raw = tuple([label(who, a) for a in actions])
        number = self.labels.get(raw)
        if number is None:
            labels = distinct_labels(raw)
            number = self.record.move_number.get(labels)
            self.labels[raw] = number = self.record.new_moves(labels, node) if number is None else number
        return number


def exact_distribution(odds: tuple[float, ...]) -> tuple[Fraction, ...]:
    """Recover fractions from rounded probabilities.

    >>> exact_distribution((1 / 3, 1 / 6, 0.5))
    (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2))
    """
    exact = tuple(as_fraction(p) for p in odds)
    total = sum(exact, Fraction(0))
    return tuple(p / total for p in exact) if 0 < abs(total - 1) < _ROUNDING else exact


def describe_state(key: InfoState) -> str:
    """Put an information state on one line."""
    words = "; ".join(line.strip() for line in key.text.splitlines() if line.strip())
    return words or "to open"


def _perfect_information(spiel: ModuleType) -> Any:
    return spiel.GameType.Information.PERFECT_INFORMATION


def pyspiel_module() -> ModuleType:
    """Return OpenSpiel's module, or raise a typed error that says how to install it."""
    try:
        import pyspiel
    except ImportError:
        raise BackendMissingError(
            "OpenSpiel is not installed", where="import pyspiel", fix="pip install 'equiform[oracles]'"
        ) from None
    module: ModuleType = pyspiel
    return module
