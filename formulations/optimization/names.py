r"""Names of rows and columns that people can read and that LP and MPS files accept.

A block may carry ``labels``: for a component's local name, a function from an index to words (an information set, a
move). The name of ``plan.x[s]`` is then ``plan.x.`` followed by the words, made legal:

1. letters and digits of ASCII stay; accented letters lose their accent; a colon and the space after it become a
   period;
2. every other run of characters becomes one underscore; underscores at the ends are dropped;
3. a name of more than :data:`LONGEST` characters is cut, and eight digits of its hash are added;
4. a name that is taken gets ``.2``, ``.3``, … in the order of the rows or columns.

Rows and columns without labels keep Pyomo's name, by the same rules.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

import pyomo.core as pyo

LONGEST = 90
"""Characters of a name: CBC's reader stops at 100, and Pyomo adds ``c_e_`` and the like to rows."""


def model_names(model: Any) -> dict[int, str]:
    """Return the names of all active rows and variables of a model, by the ``id`` of their data."""
    names: dict[int, str] = {}
    taken: set[str] = set()
    for data in _data(model):
        names[id(data)] = _distinct(legal_name(readable_name(data)), taken)
    return names


def labeler(model: Any) -> Callable[[Any], str]:
    """Return the function that Pyomo's writers call for the name of a component."""
    names = model_names(model)

    def name_of(data: Any) -> str:
        return names.get(id(data)) or legal_name(data.name)

    return name_of


def readable_name(data: Any) -> str:
    """Return a row's or variable's name in words, before it is made legal."""
    component = data.parent_component()
    block = component.parent_block()
    labels: dict[str, Callable[[Any], str]] = getattr(block, "labels", None) or {}
    label = labels.get(component.local_name)
    return str(data.name) if label is None else f"{component.name}: {label(data.index())}"


def legal_name(text: str) -> str:
    """Make a name of words.

    >>> legal_name("plan.x: holding Q, after bet: call"), legal_name("z[3]")
    ('plan.x.holding_Q_after_bet.call', 'z_3')
    """
    plain = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    plain = plain.replace(": ", ".")
    parts = (re.sub(r"[^A-Za-z0-9]+", "_", part).strip("_") for part in plain.split("."))
    name = ".".join(part for part in parts if part) or "unnamed"
    if not name[0].isalpha() or re.match(r"[eE]\d", name):  # a number, to a reader of LP files
        name = f"n_{name}"
    if len(name) <= LONGEST:
        return name
    digest = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
    return f"{name[: LONGEST - 9].rstrip('._')}.{digest}"


def _distinct(name: str, taken: set[str]) -> str:
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}.{number}"
    taken.add(candidate)
    return candidate


def _data(model: Any) -> Iterable[Any]:
    for kind in (pyo.Var, pyo.Constraint):
        for component in model.component_objects(kind, active=True, descend_into=True):
            yield from component.values()
