"""The mutants of a source file, made with the operators of mutmut.

Left out are mutants that every call of the function would notice (a value or an argument replaced by ``None``), texts,
and whatever changes no result: annotations, decorators, error messages, the block of imports for type checkers.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation import mutators


def _dropped_option(node: cst.Call) -> Iterable[cst.Call]:
    """Drop a keyword argument, which may well have a default; a missing positional one would raise at once."""
    for i, argument in enumerate(node.args):
        if argument.keyword is not None and len(node.args) > 1:
            yield node.with_changes(args=[*node.args[:i], *node.args[i + 1 :]])


_OPERATORS: tuple[tuple[type, str, Callable[[Any], Iterable[cst.CSTNode]]], ...] = (
    (cst.CSTNode, "operator", mutators.operator_swap_op),
    (cst.BaseNumber, "number", mutators.operator_number),
    (cst.CSTNode, "keyword", mutators.operator_keywords),
    (cst.Name, "truth", mutators.operator_name),
    (cst.UnaryOperation, "unary", mutators.operator_remove_unary_ops),
    (cst.AugAssign, "accumulation", mutators.operator_augmented_assignment),
    (cst.IfExp, "choice", mutators.operator_if_exp),
    (cst.Call, "option", _dropped_option),
)


@dataclass(frozen=True)
class Mutant:
    """One changed place in one file."""

    file: str
    operator: str
    line: int
    last_line: int
    before: str
    after: str
    key: str
    """Names the mutant by what it changes, so that edits elsewhere in the file do not matter."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return dict(vars(self))


def mutants_of(checkout: Path, file: Path) -> list[Mutant]:
    """List all mutants of a file."""
    return [mutant for mutant, _ in _all(file, (checkout / file).read_text(encoding="utf-8"))]


def mutated_source(checkout: Path, file: Path, key: str) -> str | None:
    """Return the file's text with one mutant in it, or nothing if the file no longer has that mutant."""
    found = _all(file, (checkout / file).read_text(encoding="utf-8"))
    return next((source() for mutant, source in found if mutant.key == key), None)


def _all(file: Path, text: str) -> Iterator[tuple[Mutant, Callable[[], str]]]:
    wrapper = MetadataWrapper(cst.parse_module(text))
    visitor = _Visitor()
    wrapper.visit(visitor)
    lines, seen = text.splitlines(), Counter[str]()
    for operator, node, changed, first, last, scope in visitor.found:
        before, after = (_code(n) for n in (node, changed))
        identity = "\0".join((str(file), operator, scope, lines[first - 1].strip(), before, after))
        seen[identity] += 1
        key = hashlib.sha256(f"{identity}\0{seen[identity]}".encode()).hexdigest()[:16]
        mutant = Mutant(str(file), operator, first, last, before, after, key)
        yield mutant, lambda n=node, c=changed: wrapper.module.deep_replace(n, c).code  # type: ignore[misc]


def _code(node: cst.CSTNode) -> str:
    return " ".join(cst.Module([]).code_for_node(node).split())


class _Visitor(cst.CSTVisitor):  # type: ignore[misc]
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, cst.CSTNode, cst.CSTNode, int, int, str]] = []
        self.scope: list[str] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self.scope.append(node.name.value)
        if _no_result(node):
            return False
        span = self.get_metadata(PositionProvider, node, None)
        if span is not None:
            for kind, name, operator in _OPERATORS:
                if isinstance(node, kind):
                    for changed in operator(node):
                        where = (span.start.line, span.end.line, ".".join(self.scope))
                        self.found.append((name, node, changed, *where))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            self.scope.pop()


def _no_result(node: cst.CSTNode) -> bool:
    """Return whether what is inside changes no result: its mutants are not made."""
    if isinstance(node, cst.Annotation | cst.Decorator | cst.Raise | cst.Import | cst.ImportFrom | cst.Subscript):
        return not isinstance(node, cst.Subscript) or _is_type(node)
    if isinstance(node, cst.If):
        return isinstance(node.test, cst.Name) and node.test.value == "TYPE_CHECKING"
    if isinstance(node, cst.Call):
        name = node.func.attr.value if isinstance(node.func, cst.Attribute) else getattr(node.func, "value", "")
        return str(name).endswith(("Error", "warn", "warning", "info", "debug", "cast"))
    if isinstance(node, cst.FunctionDef):
        return node.name.value in ("__repr__", "__str__", "_repr_html_")
    return False


def _is_type(node: cst.Subscript) -> bool:
    """Return whether a subscript is a type such as ``list[int]``."""
    name = node.value.value if isinstance(node.value, cst.Name) else ""
    return name in ("list", "dict", "tuple", "set", "NDArray", "Callable", "Iterator", "Counter", "defaultdict")
