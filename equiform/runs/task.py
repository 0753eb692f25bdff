"""A task: a function by its name and arguments of plain data, so that any process on any machine can carry it out."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import math
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from equiform.models.common.errors import ParameterError
from equiform.runs.code import code_version

#: What a task returns: arrays and plain data by name.
Values: TypeAlias = Mapping[str, Any]

_INSIDE: ContextVar[bool] = ContextVar("inside a task", default=False)


def inside_task() -> bool:
    """Whether a task is being computed: a run inside it has no result so far to offer when it is interrupted."""
    return _INSIDE.get()


@dataclass(frozen=True)
class Task:
    """A piece of work that is carried out, stored and resumed on its own.

    Parameters
    ----------
    function : str
        ``package.module:function``; it takes ``arguments`` as keywords and returns a mapping of arrays and plain data.
    arguments : mapping
        Plain data: ``None``, booleans, numbers, texts, and lists and dictionaries of these.
    content : mapping, optional
        What some arguments stand for, where a name would not tell: the hash of a game instead of its name or path. In
        the key it takes the place of the argument of the same name.
    version : str, optional
        The code that computes the result. By default a hash of our sources and the versions of the solvers.
    label : str, optional
        What to call the task in file names and progress.
    weight : int, optional
        How much the task counts in progress.
    """

    function: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    content: Mapping[str, Any] = field(default_factory=dict)
    version: str = field(default_factory=code_version)
    label: str = ""
    weight: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "arguments", plain_data(dict(self.arguments), self.function))
        object.__setattr__(self, "content", plain_data(dict(self.content), self.function))

    @staticmethod
    def of(
        function: Callable[..., Values],
        *positional: Any,
        content: Mapping[str, Any] | None = None,
        label: str = "",
        weight: int = 1,
    ) -> Task:
        """Make a task of a function of a module and positional arguments.

        >>> from equiform.runs.executor import warm_up
        >>> Task.of(warm_up).function
        'equiform.runs.executor:warm_up'
        """
        arguments = inspect.signature(function).bind(*positional).arguments
        return Task(function_name(function), arguments, content or {}, label=label, weight=weight)

    def compute(self) -> Values:
        """Call the function."""
        before = _INSIDE.set(True)
        try:
            return dict(resolve_function(self.function)(**self.arguments))
        finally:
            _INSIDE.reset(before)

    def to_dict(self) -> dict[str, Any]:
        """Return what identifies the task, as plain data."""
        return {
            "function": self.function,
            "arguments": {**self.arguments, **self.content},
            "version": self.version,
        }

    @cached_property
    def key(self) -> str:
        """The hash of everything that the result depends on."""
        return identity_key(self.to_dict())


def identity_key(identity: Mapping[str, Any]) -> str:
    """Hash what identifies a task (:meth:`Task.to_dict`)."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def plain_data(value: Any, where: str) -> Any:
    """Return a value as JSON has it (lists for tuples, Python's numbers for numpy's), or refuse it.

    >>> plain_data({"sizes": (1, np.int64(2))}, "task")
    {'sizes': [1, 2]}
    """
    if isinstance(value, np.bool_ | np.integer | np.floating):
        value = value.item()
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and not math.isnan(value):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list | tuple):
        return [plain_data(v, where) for v in value]
    if isinstance(value, Mapping) and all(isinstance(k, str) for k in value):
        return {str(k): plain_data(v, where) for k, v in value.items()}
    raise ParameterError(
        f"{str(value)[:80]} ({type(value).__name__}) is not plain data",
        where=where,
        fix="use numbers other than NaN, texts, and lists and dictionaries of these",
    )


def function_name(function: Callable[..., Any]) -> str:
    """Return the name by which any process finds a function, ``package.module:function``."""
    name = f"{function.__module__}:{function.__qualname__}"
    if resolve_function(name) is not function:
        raise ParameterError(
            f"{name} is another function", where="task", fix="use a function at the top level of a module"
        )
    return name


def resolve_function(name: str) -> Callable[..., Any]:
    """Import a function by its name."""
    module, colon, qualified = name.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in qualified.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError):
        found = None
    if not colon or not callable(found):
        raise ParameterError(f"there is no function {name!r}", where="task", fix="name it as package.module:function")
    return found
