r"""The lexical side of Gambit's file formats: quoted strings, exact numbers, words and braces.

Numbers are integers, decimals (with an exponent) or fractions p/q and become :class:`fractions.Fraction` without
passing through a float. In strings ``\"`` stands for a quote and ``\\`` for a backslash. Nothing is ever evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import NoReturn

from equiform.models.common.errors import FormatError

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<string>"(?:[^"\\]|\\.)*")
    | (?P<number>[+-]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?))(?![\w./])
    | (?P<word>[A-Za-z]\w*)
    | (?P<mark>[{},])
    | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_STRINGS = re.compile(r'\s*\{(?:\s*"(?:[^"\\]|\\.)*")*\s*\}', re.DOTALL | re.ASCII)
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_SPACE = re.compile(r"\s*", re.ASCII)
_ESCAPE = re.compile(r'\\(["\\])')
_MOST_DIGITS = 1000
_MOST_EXPONENT = 1000


class Scanner:
    """A cursor over the tokens of a text, with errors that name file, line and column."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.position = 0
        self.begin = 0  # of the token read last

    def peek(self) -> tuple[str, str]:
        """Return the kind and text of the next token without consuming it."""
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            begin = self.skip_space()
            rest = self.text[begin : begin + 20].split("\n")[0]
            what = "a quoted string is not closed" if rest.startswith('"') else f"cannot read {rest!r}"
            self.fail(what, "expected a quoted string, a number, a word or a brace", at=begin)
        kind = match.lastgroup or "end"
        return kind, match.group(kind)

    def take(self, kind: str, what: str) -> str:
        """Consume a token of one kind; ``what`` says in an error what was expected."""
        match = _TOKEN.match(self.text, self.position)
        if match is None or match.lastgroup != kind:
            self._expected(what)
        self.begin, self.position = match.start(kind), match.end()
        return match.group(kind)

    def accept(self, mark: str) -> bool:
        """Consume a brace or comma if it comes next."""
        found = self.peek() == ("mark", mark)
        if found:
            self.take("mark", repr(mark))
        return found

    def mark(self, mark: str) -> None:
        """Consume a brace or comma."""
        if not self.accept(mark):
            self._expected(repr(mark))

    def string(self, what: str) -> str:
        """Consume a quoted string and return its content."""
        return _unescape(self.take("string", what)[1:-1])

    def number(self, what: str) -> Fraction:
        """Consume a number, exactly."""
        text = self.take("number", what)
        if len(text) < 19 and text.isdigit():
            return Fraction(int(text))
        exponent = re.search(r"[eE]([+-]?\d+)", text)
        if len(text) > _MOST_DIGITS or (exponent and abs(int(exponent[1])) > _MOST_EXPONENT):
            self.fail(f"the number {text[:30]!r} is too long", f"use at most {_MOST_DIGITS} digits", at=self.begin)
        try:
            return Fraction(text)
        except ZeroDivisionError:
            self.fail(f"{text} divides by zero", "use a positive denominator", at=self.begin)

    def integer(self, what: str, low: int = 0) -> int:
        """Consume a whole number."""
        text = self.take("number", what)
        if not text.isdigit() or len(text) > 18 or int(text) < low:
            self.fail(f"{what} is {text}", f"use a whole number of at least {low}", at=self.begin)
        return int(text)

    def strings(self, what: str) -> list[str]:
        """Consume a braced list of strings."""
        whole = _STRINGS.match(self.text, self.position)
        if whole is not None:
            self.begin, self.position = whole.end() - 1, whole.end()
            return [_unescape(string) for string in _STRING.findall(whole.group())]
        self.mark("{")  # something is wrong: go step by step to say what
        found: list[str] = []
        while not self.accept("}"):
            found.append(self.string(what))
        return found

    def numbers(self, what: str) -> tuple[Fraction, ...]:
        """Consume a braced list of numbers; commas between them are optional."""
        self.mark("{")
        found: list[Fraction] = []
        while not self.accept("}"):
            found.append(self.number(what))
            self.accept(",")
        return tuple(found)

    def place(self, at: int | None = None) -> str:
        """Name a position (by default that of the token read last) as file:line:column."""
        position = self.begin if at is None else at
        line = self.text.count("\n", 0, position) + 1
        column = position - self.text.rfind("\n", 0, position)
        return f"{self.source}:{line}:{column}"

    def fail(self, what: str, fix: str, *, at: int | None = None) -> NoReturn:
        """Raise a FormatError at a position."""
        raise FormatError(what, where=self.place(at), fix=fix)

    def _expected(self, what: str) -> NoReturn:
        kind, text = self.peek()
        shown = {"end": "the end of the file", "string": f"the string {text}"}.get(kind, repr(text))
        self.fail(f"expected {what} and found {shown}", f"write {what} here", at=self.skip_space())

    def skip_space(self) -> int:
        """Return the position of the next token."""
        match = _SPACE.match(self.text, self.position)
        return match.end() if match else self.position


def read_header(scan: Scanner, kind: str, version: int) -> tuple[str, tuple[str, ...]]:
    """Read ``EFG 2 R "title" { players }`` or its like; return the title and the players, all different."""
    if scan.peek() != ("word", kind):
        begin = f'{kind} {version} R "title" {{ "player 1" … }}'
        scan.fail(f"this is not an .{kind.lower()} file", f"it must begin with {begin}", at=0)
    scan.take("word", kind)
    found = scan.integer("the format version")
    if found != version:
        scan.fail(f"version {found} of the format is not supported", f"save the file as version {version}")
    if scan.take("word", "the letter R or D") not in ("R", "D"):
        scan.fail("the header lacks the letter R (or D)", f'begin with {kind} {version} R "title"')
    title = scan.string("the title")
    players = distinct_labels(scan.strings("a player's name"))
    if not players:
        scan.fail("the game has no players", "name at least one player in braces after the title")
    return title, players


def _unescape(text: str) -> str:
    return _ESCAPE.sub(r"\1", text) if "\\" in text else text


def quote(text: str) -> str:
    """Quote a string for a file.

    >>> print(quote('say "hi"'))
    "say \\"hi\\""
    """
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def distinct_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Make labels distinct and not empty, changing as few as possible.

    >>> distinct_labels(["a", "", "a", "b"])
    ('a', '2', 'a (2)', 'b')
    """
    wanted = list(labels)
    if len(set(wanted)) == len(wanted) and "" not in wanted:
        return tuple(wanted)
    taken, result = set(wanted), []
    seen: set[str] = set()
    for number, label in enumerate(wanted, 1):
        name, copy = label or str(number), 2
        while name in seen or (name != label and name in taken):
            name, copy = f"{label or number} ({copy})", copy + 1
        seen.add(name)
        result.append(name)
    return tuple(result)
