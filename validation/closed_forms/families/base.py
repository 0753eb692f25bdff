"""What a family of games must do: read a claim, turn it into obligations, and check it at a point on its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from equiform.validation.closed_forms.proving.parameters import Parameters, Point
from equiform.validation.closed_forms.proving.signs import Relation
from equiform.validation.closed_forms.proving.verdict import Check, Obligation

C = TypeVar("C")


class Family(ABC, Generic[C]):
    """Games that differ in the values of some parameters."""

    name: str
    parameters: Parameters

    @abstractmethod
    def read(self, claim: Any) -> C:
        """Parse the expressions of a claim and check that it fits the games."""

    @abstractmethod
    def obligations(self, claim: C) -> Iterator[Obligation]:
        """Return relations that together make the claim true for all parameters."""

    @abstractmethod
    def check(self, claim: C, point: Point) -> Check:
        """Compute at one point, without the obligations, whether the claim is true there."""

    def must(
        self, text: str, expression: Any, relation: Relation = Relation.NONNEGATIVE, where: Parameters | None = None
    ) -> Obligation:
        """Write an obligation."""
        return Obligation(text, expression, relation, self.parameters if where is None else where)
