"""The outcomes of a jam-or-fold hand: who jammed, and in which order the hands came that were shown.

Three players: the button jams or folds, then the small blind, then the big blind (who wins unseen if both folded). Two
players: the small blind jams or folds, the big blind calls or folds. An outcome is a line of play and, where cards are
shown, the order of the hands.
"""

from __future__ import annotations

from dataclasses import dataclass

from equiform.games.cards.all_in.counting import ORDERS

JAM, FOLD = 1, 0


@dataclass(frozen=True)
class JamOutcome:
    """One way for a hand to end."""

    actions: tuple[int, ...]
    """Jam (1) or fold (0) per seat."""
    places: tuple[int | None, ...]
    """How many of the hands shown are stronger; None for hands that folded."""
    decisions: tuple[int, ...]
    """At which of a seat's decisions it acted; -1 where it had none."""

    @property
    def line(self) -> str:
        """The line of play in letters, such as ``JFJ``."""
        return "".join("JF"[a == FOLD] for a in self.actions)


def _shown(actions: tuple[int, ...]) -> list[tuple[int | None, ...]]:
    """List the orders of the hands that are shown; a single hand needs none."""
    live = [i for i, a in enumerate(actions) if a == JAM]
    if len(live) == 3:
        return list(ORDERS)
    if len(live) < 2:
        last = live[0] if live else len(actions) - 1
        return [tuple(0 if i == last else None for i in range(len(actions)))]
    first, second = live
    results = []
    for places in ((0, 1), (1, 0), (0, 0)):
        shown: list[int | None] = [None] * len(actions)
        shown[first], shown[second] = places
        results.append(tuple(shown))
    return results


def _lines(players: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """List the lines of play with the decision at which each seat acts."""
    if players == 2:
        return [((FOLD, FOLD), (0, -1)), ((JAM, FOLD), (0, 0)), ((JAM, JAM), (0, 0))]
    return [
        ((FOLD, FOLD, FOLD), (0, 1, -1)),
        ((FOLD, JAM, FOLD), (0, 1, 1)),
        ((JAM, FOLD, FOLD), (0, 0, 0)),
        ((FOLD, JAM, JAM), (0, 1, 1)),
        ((JAM, FOLD, JAM), (0, 0, 0)),
        ((JAM, JAM, FOLD), (0, 0, 2)),
        ((JAM, JAM, JAM), (0, 0, 2)),
    ]


def _outcomes(players: int) -> tuple[JamOutcome, ...]:
    return tuple(
        JamOutcome(actions, places, decisions) for actions, decisions in _lines(players) for places in _shown(actions)
    )


#: By number of players. Three players: 25 outcomes, in the order of :func:`_lines`.
OUTCOMES = {2: _outcomes(2), 3: _outcomes(3)}
#: Names of the decisions of each seat.
DECISIONS = {
    2: (("small blind",), ("big blind after jam",)),
    3: (
        ("button",),
        ("small blind after button jams", "small blind after button folds"),
        ("big blind after jam/fold", "big blind after fold/jam", "big blind after jam/jam"),
    ),
}


def result_groups(pair: tuple[int, int]) -> tuple[tuple[int, ...], ...]:
    """Group the 13 orders by what they say about two of the seats: first stronger, second stronger, equal."""
    signs = [(o[pair[1]] > o[pair[0]]) - (o[pair[1]] < o[pair[0]]) for o in ORDERS]
    return tuple(tuple(k for k, sign in enumerate(signs) if sign == wanted) for wanted in (1, -1, 0))
