"""What every refusal of bad input must be like, and small trees to try it on."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pytest

from equiform.games import TreeNode
from equiform.models.common.errors import EquiformError

#: A use of one argument, to be tried with bad values.
Use: TypeAlias = Callable[[Any], object]
#: An action, the error that it must raise, and words of its message.
Case: TypeAlias = tuple[Callable[[], object], type[EquiformError], str]
#: Not a number of anything that can be asked for.
BAD_COUNTS: list[Any] = [0, -1, 10**24, True, 1.5, float("nan"), float("inf"), "3", None, [3], np.array(3)]


def refusal(error: type[EquiformError], action: Callable[[], object], *parts: str) -> None:
    """Check the type of an error and that its message holds all parts; every error proposes a fix."""
    with pytest.raises(error) as caught:
        action()
    assert caught.type is error
    for part in parts:
        assert part in str(caught.value)
    assert caught.value.fix


def refused(case: Case) -> None:
    """Check one case of a table."""
    action, error, message = case
    refusal(error, action, message)


def leaf(*payoffs: float | Fraction) -> TreeNode:
    return TreeNode(payoffs=payoffs or (1, -1))


def below(node: TreeNode) -> TreeNode:
    """Hang a node under a first move, so that errors have a path to name."""
    return TreeNode(0, "root", children={"left": leaf(), "right": node})
