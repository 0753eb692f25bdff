r"""Matrix games played one after another, as trees.

In each stage the players choose in turn without seeing what the others choose; then the choices are revealed, and the
payoffs of all stages add up. One stage is a matrix game in extensive form: with rock-paper-scissors, the sequential
game of Ganzfried (2015), Proposition 10, where player 2 moves second but blindly. Two stages give his §13.6.3 and
Figure 13.9: Figure 13.7 followed by Figure 13.8, in which player 2 can punish a dominated first move of player 1 at no
risk. (There player 1's stage payoffs are all positive; the game is zero-sum, player 2's are their negatives.)
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from equiform.games.matrix import figure_13_7, figure_13_8, rock_paper_scissors
from equiform.models.common.errors import GameError
from equiform.models.normal_form import NormalForm
from equiform.models.rules import TERMINAL

# The choices so far as action numbers, stage by stage and player by player.
State = tuple[int, ...]


class StagedGame:
    """Rules of several matrix games played one after another.

    >>> from equiform.models.compile import compile_rules
    >>> compile_rules(StagedGame("rps twice", [rock_paper_scissors()] * 2)).num_nodes
    121
    """

    def __init__(self, name: str, stages: Sequence[NormalForm]) -> None:
        if not stages or any(len(s.players) != len(stages[0].players) for s in stages):
            raise GameError(
                "the stages do not have the same players",
                where=name,
                fix="use at least one stage, all with the same number of players",
            )
        self.name = name
        self.players = stages[0].players
        self.stages = tuple(stages)
        self._seats = len(self.players)
        self._length = len(stages) * self._seats
        self._number = [[{a: k for k, a in enumerate(own)} for own in stage.actions] for stage in stages]

    def initial(self) -> State:
        """Return the state before any choice."""
        return ()

    def turn(self, state: State) -> int:
        """Return whose choice it is."""
        return TERMINAL if len(state) == self._length else len(state) % self._seats

    def actions(self, state: State) -> tuple[str, ...]:
        """Return the choices."""
        stage, player = divmod(len(state), self._seats)
        return self.stages[stage].actions[player]

    def probabilities(self, state: State) -> tuple[Fraction, ...]:
        """Return nothing: there is no chance."""
        return ()

    def next(self, state: State, action: str) -> State:
        """Append a choice."""
        stage, player = divmod(len(state), self._seats)
        return (*state, self._number[stage][player][action])

    def payoffs(self, state: State) -> tuple[Fraction, ...]:
        """Add up the payoffs of all stages."""
        n = self._seats
        played = [(stage.payoffs, state[k * n : (k + 1) * n]) for k, stage in enumerate(self.stages)]
        return tuple(sum((table[p][cell] for table, cell in played), Fraction(0)) for p in range(n))

    def infoset(self, state: State) -> State:
        """Return all choices of the finished stages."""
        return state[: len(state) - len(state) % self._seats]

    def describe(self, key: State) -> str:
        """Put an information set into words."""
        if not key:
            return "to open"
        n = self._seats
        past = [
            "".join(own[c] for own, c in zip(stage.actions, key[k * n : (k + 1) * n], strict=True))
            for k, stage in enumerate(self.stages[: len(key) // n])
        ]
        return "after " + "–".join(past)


class ChosenGame:
    """Rules of a choice among matrix games: player 1 chooses one in sight of player 2, and it is played.

    This is the game of Ganzfried (2015), Figure 10.2: what lies below the choice are endgames without a common past.

    >>> from equiform.models.compile import compile_rules
    >>> compile_rules(ChosenGame("two of them", [rock_paper_scissors()] * 2)).num_nodes
    27
    """

    def __init__(self, name: str, choices: Sequence[NormalForm]) -> None:
        self._parts = [StagedGame(name, [choice]) for choice in choices]
        if not self._parts or any(len(part.players) != 2 for part in self._parts):
            raise GameError("not all choices are games of two players", where=name, fix="pass at least one game of two")
        self.name = name
        self.players = self._parts[0].players
        self._labels = {f"game {k + 1}": k for k in range(len(choices))}

    def initial(self) -> State:
        """Return the state before the choice."""
        return ()

    def turn(self, state: State) -> int:
        """Return whose move it is: player 1 opens."""
        return self._parts[state[0]].turn(state[1:]) if state else 0

    def actions(self, state: State) -> tuple[str, ...]:
        """Return the games on offer, then the choices of the one that is played."""
        return self._parts[state[0]].actions(state[1:]) if state else tuple(self._labels)

    def probabilities(self, state: State) -> tuple[Fraction, ...]:
        """Return nothing: there is no chance."""
        return ()

    def next(self, state: State, action: str) -> State:
        """Append a choice."""
        return (state[0], *self._parts[state[0]].next(state[1:], action)) if state else (self._labels[action],)

    def payoffs(self, state: State) -> tuple[Fraction, ...]:
        """Return the payoffs of the game that was played."""
        return self._parts[state[0]].payoffs(state[1:])

    def infoset(self, state: State) -> State:
        """Return the game that is played, and nothing of the other's choice in it."""
        return state[:1]

    def describe(self, key: State) -> str:
        """Put an information set into words."""
        return f"in game {key[0] + 1}" if key else "to choose a game"


def figure_10_2() -> ChosenGame:
    """Return a game of the shape of Figure 10.2 with three matrix games to choose from; it is worth 0 to player 1."""
    pennies = NormalForm.from_matrix("pennies", ("H", "T"), ("H", "T"), [[1, -1], [-1, 1]])
    lower = NormalForm.from_matrix("lower", ("u", "d"), ("l", "r"), [[2, -3], [-3, 1]])
    return ChosenGame("fig-10.2", [rock_paper_scissors(), pennies, lower])


def sequential_rps() -> StagedGame:
    """Return rock-paper-scissors in which player 2 chooses second without seeing the first choice."""
    return StagedGame("rps-sequential", [rock_paper_scissors()])


def figure_13_9() -> StagedGame:
    """Return the two-stage gift game: Figure 13.7, then Figure 13.8."""
    return StagedGame("fig-13.9", [figure_13_7(), figure_13_8()])
