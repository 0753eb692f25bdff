"""The betting tree of a spot: built from sizes, printed, edited line by line, saved."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from equiform.games.poker.holdem.bet_sizes import STREETS, BetSizes, Size
from equiform.models.common.arguments import require_count, require_number
from equiform.models.common.array_types import FloatArray
from equiform.models.common.errors import ParameterError
from equiform.models.public.betting import SHOWDOWN, BettingTree
from equiform.models.rules import CHANCE, TERMINAL

#: Larger trees are refused: a slip in the sizes makes millions of nodes.
MAX_NODES = 1_000_000


class _Now(NamedTuple):
    """A moment of the betting; amounts are what the players put in on this street."""

    street: int
    who: int
    pot: float  # before this street's bets
    behind: float  # each player's chips when the street began
    bets: tuple[float, float]
    raises: int
    acted: bool
    donk: bool  # the first to act called on the street before


@dataclass(frozen=True)
class Betting:
    """What may be bet in a spot.

    Attributes
    ----------
    pot, stack
        Chips in the middle, and what each player has behind (the shorter stack counts).
    street
        Where the spot begins: ``flop``, ``turn`` or ``river``.
    sizes
        The bet sizes.
    first
        Who acts first on this street: ``oop``, or ``ip`` when the other has checked.
    chip
        The smallest chip, to which sizes are rounded; 0 for none.
    removed
        Lines, spelled as in the printed tree, that are taken out.
    added
        Lines that are put in: the history before the bet, and the chips that the player puts in on the street.
    """

    pot: float
    stack: float
    street: str = "river"
    sizes: BetSizes = dataclasses.field(default_factory=BetSizes)
    first: str = "oop"
    chip: float = 1.0
    removed: tuple[str, ...] = ()
    added: tuple[tuple[str, float], ...] = ()
    max_nodes: int = MAX_NODES

    def __post_init__(self) -> None:
        require_number(self.pot, "pot", "spot", least=0)
        require_number(self.stack, "stack", "spot", least=0)
        require_number(self.chip, "chip", "spot", least=0)
        require_count(self.max_nodes, "max_nodes", "spot", least=3)
        if self.pot <= 0:
            raise ParameterError(f"the pot is {self.pot:g}", where="spot", fix="use a positive pot")
        if self.street not in STREETS:
            raise ParameterError(f"there is no street {self.street!r}", where="spot", fix="flop, turn or river")
        if self.first not in ("oop", "ip"):
            raise ParameterError(f"{self.first!r} cannot act first", where="spot", fix="use oop, or ip after a check")

    @cached_property
    def _built(self) -> tuple[BettingTree, FloatArray]:
        builder = _Builder(self)
        return builder.build(), np.array(builder.paid)

    @property
    def tree(self) -> BettingTree:
        """The tree; its stakes count half of the pot as put in by each player, so that the game is zero-sum."""
        return self._built[0]

    @property
    def paid(self) -> FloatArray:
        """What each player has put in before each node, a row per node; half of the first pot is counted."""
        return self._built[1]

    @property
    def streets(self) -> tuple[str, ...]:
        """The streets that are played."""
        return STREETS[STREETS.index(self.street) :]

    def without(self, line: str) -> Betting:
        """Take out a line, such as ``check–bet 100``; at least one move must stay."""
        self.tree.find(line)
        return dataclasses.replace(self, removed=(*self.removed, line))._checked()

    def with_bet(self, history: str, chips: float) -> Betting:
        """Put in a bet or raise: after ``history`` the player to move may put in this many chips on the street."""
        self.tree.decision(history)
        require_number(chips, "chips", "betting tree", least=0)
        return dataclasses.replace(self, added=(*self.added, (history, float(chips))))._checked()

    def _checked(self) -> Betting:
        assert len(self.tree)
        return self

    def text(self) -> str:
        """Return the tree as text, a line per node."""
        return "\n".join(_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that :meth:`from_dict` reads."""
        sizes = {f.name: getattr(self.sizes, f.name) for f in dataclasses.fields(self.sizes) if f.init}
        own = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {**own, "sizes": sizes, "removed": list(self.removed), "added": [list(a) for a in self.added]}

    @staticmethod
    def from_dict(document: dict[str, Any]) -> Betting:
        """Read what :meth:`to_dict` wrote."""
        try:
            own = dict(document)
            own["sizes"] = BetSizes(**own.get("sizes", {}))
            own["removed"] = tuple(str(line) for line in own.get("removed", ()))
            own["added"] = tuple((str(line), float(chips)) for line, chips in own.get("added", ()))
            return Betting(**own)
        except (TypeError, ValueError, AttributeError) as error:
            if isinstance(error, ParameterError):
                raise
            raise ParameterError(
                f"this is not a betting tree: {error}", where="betting", fix="see Betting.to_dict"
            ) from None


class _Builder:
    """Walks the betting, parents before children."""

    def __init__(self, betting: Betting) -> None:
        self.betting, self.sizes = betting, betting.sizes
        self.parent: list[int] = []
        self.turn: list[int] = []
        self.street: list[int] = []
        self.move: list[str] = []
        self.winner: list[int] = []
        self.stake: list[float] = []
        self.paid: list[tuple[float, float]] = []
        self.unused = set(betting.removed)
        self.waiting: list[Callable[[], None]] = []
        """What is left to walk, the next one last: betting may be deeper than Python's calls."""

    def build(self) -> BettingTree:
        betting = self.betting
        start = _Now(0, 0, float(betting.pot), float(betting.stack), (0.0, 0.0), 0, False, False)
        if betting.stack == 0:
            self._settle(-1, "", start, "")
        elif betting.first == "ip":
            self._decide(-1, "", start._replace(who=1, acted=True), "")
        else:
            self._decide(-1, "", start, "")
        while self.waiting:
            self.waiting.pop()()
        if self.unused:
            raise ParameterError(
                f"there is no line {sorted(self.unused)[0]!r} to remove", where="betting tree", fix="print the tree"
            )
        return BettingTree(
            np.array(self.parent),
            np.array(self.turn),
            np.array(self.street),
            tuple(self.move),
            np.array(self.winner),
            np.array(self.stake),
        )

    def _node(self, above: int, turn: int, street: int, move: str, winner: int = SHOWDOWN, stake: float = 0.0) -> int:
        if len(self.parent) >= self.betting.max_nodes:
            raise ParameterError(
                f"the betting tree has more than {self.betting.max_nodes:,} nodes",
                where="bet sizes",
                fix="use fewer sizes, a cap on raises, or a larger limit",
            )
        for column, value in zip(
            (self.parent, self.turn, self.street, self.move, self.winner, self.stake),
            (above, turn, street, move, winner, stake),
            strict=True,
        ):
            column.append(value)  # type: ignore[attr-defined]
        self.paid.append((0.0, 0.0))
        return len(self.parent) - 1

    def _settle(self, above: int, move: str, now: _Now, history: str) -> None:
        """Both have put in the same: the next street or the showdown."""
        paid = now.bets[0]
        pot, behind = now.pot + 2 * paid, now.behind - paid
        stake = pot / 2
        if now.street == len(self.betting.streets) - 1:
            self._node(above, TERMINAL, now.street, move, stake=stake)
            return
        deal = self._node(above, CHANCE, now.street, move)
        after = _Now(now.street + 1, 0, pot, behind, (0.0, 0.0), 0, False, paid > 0 and now.who == 0)
        if behind > 0:
            self._decide(deal, "", after, history + "/")
        else:
            self._settle(deal, "", after, history + "/")

    def _decide(self, above: int, move: str, now: _Now, history: str) -> None:
        node = self._node(above, now.who, now.street, move)
        self.paid[node] = (now.pot / 2 + now.bets[0], now.pot / 2 + now.bets[1])
        own, theirs = now.bets[now.who], now.bets[1 - now.who]
        options: list[tuple[str, Any]] = []
        if theirs > own:
            options.append(("fold", lambda label, line: self._fold(node, label, now)))
            called = now._replace(bets=(theirs, theirs))
            options.append(("call", lambda label, line: self._settle(node, label, called, line)))
        elif now.acted:
            options.append(("check", lambda label, line: self._settle(node, label, now, line)))
        else:
            passed = now._replace(who=1 - now.who, acted=True)
            options.append(("check", lambda label, line: self._decide(node, label, passed, line)))
        for to in self._amounts(now, history):
            bets = (to, theirs) if now.who == 0 else (theirs, to)
            after = now._replace(who=1 - now.who, bets=bets, raises=now.raises + 1, acted=True)
            word = "all-in" if to == now.behind else "raise" if theirs > own else "bet"
            options.append((f"{word} {to:.12g}", lambda label, line, a=after: self._decide(node, label, a, line)))
        kept = [(label, go) for label, go in options if _spell(history, label) not in self.betting.removed]
        self.unused -= {_spell(history, label) for label, _ in options}
        if not kept:
            raise ParameterError(
                f"no move is left after {history!r}", where="betting tree", fix="remove the line before it instead"
            )
        self.waiting += [partial(go, label, _spell(history, label)) for label, go in reversed(kept)]

    def _fold(self, node: int, label: str, now: _Now) -> None:
        stake = now.pot / 2 + now.bets[now.who]
        self._node(node, TERMINAL, now.street, label, winner=1 - now.who, stake=stake)

    def _amounts(self, now: _Now, history: str) -> list[float]:
        """Return what the player may put in on this street, in ascending order."""
        facing = now.bets[1 - now.who]
        if facing >= now.behind:
            return []
        extra = [chips for line, chips in self.betting.added if line == history]
        for chips in extra:
            if not facing < chips <= now.behind:
                raise ParameterError(
                    f"a player cannot put in {chips:g}",
                    where=f"betting tree, after {history!r}",
                    fix=f"use more than {facing:g} and at most {now.behind:g}",
                )
        if self.sizes.cap and now.raises >= self.sizes.cap:
            return sorted(set(extra))
        street = self.betting.streets[now.street]
        sizes = self.sizes.at(street, now.who, facing=facing > 0, donk=now.donk and now.who == 0 and not now.acted)
        after_call = now.pot + 2 * facing
        room = now.behind - facing
        raised = [self._chips(size, now, facing, after_call, room) for size in sizes]
        if self.sizes.add_all_in and room <= self.sizes.add_all_in * after_call:
            raised.append(room)
        least = facing - now.bets[now.who] if facing else 0.0  # a raise is at least as large as the bet that it raises
        found = {min(max(r, least), room) for r in raised if r > 0}
        if self.sizes.force_all_in:
            found = {
                room if now.behind - facing - r <= self.sizes.force_all_in * (after_call + 2 * r) else r for r in found
            }
        merged = _merge(sorted(found), after_call, self.sizes.merge)
        return sorted({facing + r for r in merged} | set(extra))

    def _chips(self, size: Size, now: _Now, facing: float, after_call: float, room: float) -> float:
        """Return the chips on top of a call."""
        if size.unit == "a":
            return room
        if size.unit == "%":
            chips = size.number / 100 * after_call
        elif size.unit == "x":
            chips = (size.number - 1) * facing
        elif size.unit == "c":
            chips = size.number
        else:
            streets = size.number or len(self.betting.streets) - now.street
            chips = (((after_call + 2 * room) / after_call) ** (1 / streets) - 1) / 2 * after_call
        step = self.betting.chip
        return min(room, max(step, round(chips / step) * step) if step else chips)


def _spell(history: str, label: str) -> str:
    return history + label if not history or history.endswith("/") else f"{history}–{label}"


def _merge(sizes: list[float], pot: float, threshold: float) -> list[float]:
    """Drop sizes close to a larger one that stays, from the largest down."""
    kept: list[float] = []
    for size in reversed(sizes):
        if not kept or (1 + kept[-1] / pot) / (1 + size / pot) >= 1 + threshold:
            kept.append(size)
    return kept[::-1]


def _lines(betting: Betting) -> Iterator[str]:
    tree = betting.tree
    depth = [0] * len(tree)
    waiting = [0]
    while waiting:
        node = waiting.pop()
        above = int(tree.parent[node])
        if above >= 0:
            depth[node] = depth[above] + 1
        turn = int(tree.turn[node])
        words = tree.move[node] or betting.streets[int(tree.street[node])]
        if turn == TERMINAL:
            end = "showdown" if tree.winner[node] == SHOWDOWN else f"player {tree.winner[node] + 1} wins"
            words += f"  [{end}, pot {2 * tree.stake[node]:g}]" if end == "showdown" else f"  [{end}]"
        elif turn == CHANCE:
            words += "  [next card]"
        else:
            words += f"  [player {turn + 1} to move]"
        yield "  " * depth[node] + words
        waiting += reversed(tree.children[node])
