"""What every refusal of bad input must be like, and small trees to try it on."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from equiform.games import TreeNode
from equiform.models.errors import EquiformError


def refusal(error: type[EquiformError], action: Callable[[], object], *parts: str) -> None:
    """Check the type of an error and that its message holds all parts; every error proposes a fix."""
    with pytest.raises(error) as caught:
        action()
    assert caught.type is error
    for part in parts:
        assert part in str(caught.value)
    assert caught.value.fix


def leaf(*payoffs: float | Fraction) -> TreeNode:
    return TreeNode(payoffs=payoffs or (1, -1))


def below(node: TreeNode) -> TreeNode:
    """Hang a node under a first move, so that errors have a path to name."""
    return TreeNode(0, "root", children={"left": leaf(), "right": node})
