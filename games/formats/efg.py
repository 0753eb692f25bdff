r"""Gambit's extensive-form files (``.efg``, version 2): read and written with exact rationals.

A file lists the nodes of the tree in prefix order, one statement per node::

    EFG 2 R "title" { "player 1" "player 2" }
    "comment"
    c "node" 1 "deal" { "J" 1/2 "K" 1/2 } 0
    p "node" 1 1 "holding J" { "check" "bet" } 0
    t "node" 1 "lost" { -1, 1 }

``c`` is chance (information set, its name and distribution, outcome), ``p`` a player's node (player, information set,
its name and moves, outcome), ``t`` a leaf (outcome). Information sets are numbered per player. What a number stands for
is given where it first appears and may be left out later. Outcome 0 stands for none; payoffs of all outcomes on a path
add up. Moves without a label, or with the same label twice, get distinct ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from equiform.games.formats.gambit_text import Scanner, distinct_labels, quote, read_header
from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models.common.errors import ChanceError, ParameterError
from equiform.models.common.files import read_text, write_text
from equiform.models.extensive import ExtensiveGame
from equiform.models.rules import CHANCE, TERMINAL

# Player from 0 (or CHANCE) and the information set's number in the file.
Key = tuple[int, int]


def read_efg(path: str | Path) -> ExtensiveGame:
    """Read an ``.efg`` file.

    Parameters
    ----------
    path
        The file to read.

    Raises
    ------
    ParameterError
        If the file cannot be read.
    FormatError
        With file, line and column: if it is not a game in Gambit's extensive form.
    """
    return parse_efg(read_text(path, "the game file", unreadable=ParameterError), source=str(path))


def parse_efg(text: str, *, source: str = "<text>") -> ExtensiveGame:
    """Read the text of an ``.efg`` file; ``source`` names it in errors.

    >>> game = parse_efg('EFG 2 R "pick" { "P" } p "" 1 1 "" { "a" "b" } 0 t "" 1 "" { 1 } t "" 2 "" { 1/3 }')
    >>> game.payoff_table
    ((Fraction(1, 1),), (Fraction(1, 3),))
    """
    return _Parser(Scanner(text, source)).run().compile()


def write_efg(game: ExtensiveGame, path: str | Path, *, comment: str = "") -> None:
    """Write a game as an ``.efg`` file, atomically.

    Parameters
    ----------
    game
        The game; fractions, information sets in words and move labels are kept.
    path
        The file to write.
    comment
        Any text, kept in the file's header.
    """
    write_text(path, format_efg(game, comment=comment))


def format_efg(game: ExtensiveGame, *, comment: str = "") -> str:
    """Return the text of a game's ``.efg`` file: fractions, information sets in words and move labels are kept."""
    players = " ".join(quote(p) for p in game.players)
    head = f"EFG 2 R {quote(game.name)} {{ {players} }}\n{quote(comment)}\n\n"
    return head + "\n".join(_statements(game)) + "\n"


@dataclass(frozen=True, eq=False)
class _Statement:
    """What one line says, apart from the node's name."""

    turn: int
    key: Key | None = None
    moves: tuple[str, ...] = ()
    probabilities: tuple[Fraction, ...] = ()
    payoffs: tuple[Fraction, ...] | None = None  # of the outcome at this node; None: no outcome


class _Parser:
    """Reads statements and hangs the nodes into a tree. No recursion: trees may be deeper than Python's stack."""

    def __init__(self, scanner: Scanner) -> None:
        self.scanner = scanner
        self.players: tuple[str, ...] = ()
        self.sets: dict[Key, _Statement] = {}
        self.names: dict[Key, str] = {}
        self.outcomes: dict[int, tuple[Fraction, ...]] = {}

    def run(self) -> ExplicitTree:
        scan = self.scanner
        title, self.players = read_header(scan, "EFG", 2)
        if scan.peek()[0] == "string":
            scan.string("a comment")
        root = self._tree()
        if scan.peek()[0] != "end":
            scan.fail("the tree is complete and the file goes on", "remove the extra text", at=scan.skip_space())
        return ExplicitTree(title or Path(scan.source).stem, self.players, root, self._labels().__getitem__)

    def _tree(self) -> TreeNode:
        scan, text = self.scanner, self.scanner.text
        known: dict[str, _Statement] = {}  # whole lines repeat; each is read once
        leaves: dict[_Statement, TreeNode] = {}  # and so do leaves
        zero = (Fraction(0),) * len(self.players)
        top = TreeNode()
        # (node, labels of the children still to come, payoffs gathered on the way)
        open_nodes: list[tuple[TreeNode, Iterator[str], tuple[Fraction, ...]]] = [(top, iter(("root",)), zero)]
        while open_nodes:
            parent, labels, gathered = open_nodes[-1]
            label = next(labels, None)
            if label is None:
                open_nodes.pop()
                continue
            begin = scan.skip_space()
            stop = text.find("\n", begin)
            line = text[begin:] if stop < 0 else text[begin:stop]
            says = known.get(line)
            if says is None:
                says = self._statement()
                end = begin + len(line)
                if scan.position <= end and not text[scan.position : end].strip():
                    known[line] = says  # the statement is exactly this line
            else:
                scan.position = begin + len(line)
            if says.turn == TERMINAL and gathered is zero:
                leaf = leaves.get(says)
                if leaf is None:
                    leaf = leaves[says] = TreeNode(payoffs=says.payoffs or zero)
                parent.children[label] = leaf
                continue
            if says.payoffs is not None:
                gathered = tuple(a + b for a, b in zip(gathered, says.payoffs, strict=True))
            if says.turn == TERMINAL:
                parent.children[label] = TreeNode(payoffs=gathered)
            else:
                node = TreeNode(says.turn, says.key, says.probabilities)
                parent.children[label] = node
                open_nodes.append((node, iter(says.moves), gathered))
        return top.children["root"]

    def _statement(self) -> _Statement:
        scan = self.scanner
        kind, letter = scan.peek()
        if kind == "end":
            scan.fail("the file ends in the middle of the tree", "every move needs a node", at=len(scan.text))
        if kind != "word" or letter not in ("c", "p", "t"):
            scan.fail(f"expected a node and found {letter!r}", "begin it with c, p or t", at=scan.skip_space())
        scan.take("word", "a node")
        scan.string("the node's name")
        if letter == "t":
            return _Statement(TERMINAL, payoffs=self._outcome())
        turn = CHANCE
        if letter == "p":
            turn = scan.integer("the player", 1) - 1
            if turn >= len(self.players):
                scan.fail(f"there is no player {turn + 1}", f"the header names {len(self.players)}")
        key = (turn, scan.integer("the information set", 1))
        moves, odds = self._moves(key)
        return _Statement(turn, key, moves, odds, self._outcome())

    def _moves(self, key: Key) -> tuple[tuple[str, ...], tuple[Fraction, ...]]:
        """Read name and moves of an information set, which may be left out after the first time."""
        scan = self.scanner
        known = self.sets.get(key)
        if scan.peek()[0] != "string":
            if known is None:
                scan.fail(f"information set {key[1]} has no moves yet", "write its name and moves at its first node")
            return known.moves, known.probabilities
        name = scan.string("the information set's name")
        begin = scan.skip_space()
        odds: list[Fraction] = []
        if key[0] == CHANCE:
            scan.mark("{")
            raw: list[str] = []
            while not scan.accept("}"):
                raw.append(scan.string("a move"))
                odds.append(scan.number("the probability of a move"))
                scan.accept(",")
        else:
            raw = scan.strings("a move")
        if not raw:
            scan.fail("the node has no moves", "list at least one, or write a leaf with t", at=begin)
        if key[0] == CHANCE and (sum(odds) != 1 or min(odds) < 0):
            shown = ", ".join(map(str, odds[:8])) + " …" * (len(odds) > 8)
            what = f"sum to {sum(odds)}" if sum(odds) != 1 else "include a negative one"
            raise ChanceError(
                f"chance probabilities {shown} {what}",
                where=scan.place(begin),
                fix="write non-negative fractions such as 1/3 that sum to exactly one",
            )
        read = _Statement(key[0], key, distinct_labels(raw), tuple(odds))
        if known is not None and (known.moves, known.probabilities) != (read.moves, read.probabilities):
            scan.fail(
                f"information set {key[1]} has the moves {known.moves} elsewhere and {read.moves} here",
                "list the same moves in the same order at all nodes of an information set",
                at=begin,
            )
        self.sets[key] = read
        self.names[key] = name or self.names.get(key, "")
        return read.moves, read.probabilities

    def _outcome(self) -> tuple[Fraction, ...] | None:
        scan = self.scanner
        number = scan.integer("the outcome")
        place = scan.begin
        if scan.peek()[0] == "string":
            scan.string("the outcome's name")
        if scan.peek() == ("mark", "{"):
            payoffs = scan.numbers("a payoff")
            if len(payoffs) != len(self.players):
                scan.fail(
                    f"an outcome has {len(payoffs)} payoffs for {len(self.players)} players",
                    "write one per player",
                    at=place,
                )
            if number == 0:
                scan.fail("outcome 0 means none and cannot have payoffs", "number outcomes from 1", at=place)
            if self.outcomes.setdefault(number, payoffs) != payoffs:
                scan.fail(f"outcome {number} is defined twice with different payoffs", "use another number", at=place)
        elif number and number not in self.outcomes:
            scan.fail(f"outcome {number} has no payoffs", "write them where it first appears", at=place)
        return self.outcomes[number] if number else None

    def _labels(self) -> dict[Key, str]:
        """Call information sets by their names, made distinct for each player."""
        labels: dict[Key, str] = {}
        for player in range(CHANCE, len(self.players)):
            own = [key for key in self.names if key[0] == player]
            names = distinct_labels(self.names[key] or f"information set {key[1]}" for key in own)
            labels.update(zip(own, names, strict=True))
        return labels


def _statements(game: ExtensiveGame) -> Iterator[str]:
    """Yield one line per node in prefix order."""
    leaves = [f't "" {k + 1} "" {{ {", ".join(map(str, pay))} }}' for k, pay in enumerate(game.payoff_table)]
    sets = [""] * game.num_infosets
    for player, own in enumerate(game.infosets_of):
        for number, h in enumerate(own.tolist(), 1):
            moves = " ".join(quote(m) for m in game.move_sets[game.infoset_moves[h]])
            label = quote(game.describe(game.infoset_keys[h]))
            sets[h] = f'p "" {player + 1} {number} {label} {{ {moves} }} 0'
    turn, infoset, outcome = game.turn.tolist(), game.infoset.tolist(), game.outcome.tolist()
    first, count = game.first_child.tolist(), game.num_children.tolist()
    chance_nodes = 0
    stack = [0]
    while stack:
        node = stack.pop()
        who = turn[node]
        if who == TERMINAL:
            yield leaves[outcome[node]]
            continue
        below = range(first[node], first[node] + count[node])
        if who == CHANCE:
            chance_nodes += 1
            odds = (game.chance_values[game.edge[child]] for child in below)
            moves = " ".join(f"{quote(m)} {p}" for m, p in zip(game.move_sets[game.move_set[node]], odds, strict=True))
            yield f'c "" {chance_nodes} "" {{ {moves} }} 0'
        else:
            yield sets[infoset[node]]
        stack.extend(reversed(below))
