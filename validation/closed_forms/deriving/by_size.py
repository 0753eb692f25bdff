r"""Formulas in the *size* of a game: the number of cards, or of stages.

Where a parameter is the size, no single table or tree has it in its payoffs. The values of small games, exact, suggest
a formula; the proof is an induction, or a profile that is proved for all sizes at once:

* *Dresher's inspection game* with n stages and one inspection. The trees for n = 2, 3, … are solved as they are. With
  the conjectured value at n − 1 as an entry, the first stage is a 2 × 2 table in n: deriving that table's formula and
  finding the conjecture again is the step of the induction, and the value of one stage is its start.
* *One-card poker* with n cards, by residue modulo 6. The conjecture is compared with the value of the profile in blocks
  of cards, whose best responses are proved for all n (:mod:`equiform.validation.closed_forms.one_card`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy

from equiform.games.poker.kuhn import Kuhn
from equiform.games.tree import ExplicitTree, TreeNode
from equiform.models.common.arguments import require_name
from equiform.models.common.rational import exact_text
from equiform.models.compile import compile_rules
from equiform.validation.closed_forms.deriving.derive import derive
from equiform.validation.closed_forms.deriving.interpolation import interpolate
from equiform.validation.closed_forms.families import matrix_game
from equiform.validation.closed_forms.one_card import OneCardPoker
from equiform.validation.closed_forms.proving.parameters import Parameters
from equiform.validation.closed_forms.proving.signs import is_zero
from equiform.validation.exact.equilibrium import exact_equilibrium


@dataclass(frozen=True, eq=False)
class SizeFormula:
    """A value as a formula in the size, conjectured from numbers and proved."""

    name: str
    sizes: str
    formula: sympy.Expr | None
    values: Mapping[int, Fraction]
    """The exact values that suggested it."""
    proved: bool
    proof: str
    """How it was proved, or what resists."""

    def __str__(self) -> str:
        word = "proved" if self.proved else "not proved"
        return f"{self.name}: {self.formula} for {self.sizes}: {word}, {self.proof}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "name": self.name,
            "sizes": self.sizes,
            "formula": str(self.formula),
            "values": {str(n): exact_text(v) for n, v in self.values.items()},
            "proved": self.proved,
            "proof": self.proof,
        }


# -- the inspection game ---------------------------------------------------------------------------------------------


def inspection_rules(stages: int) -> ExplicitTree:
    """Write down n stages with one inspection: 1 if a violation is caught, −1 if one is not, 0 if there is none."""

    def stage(left: int, inspections: int, past: str) -> TreeNode:
        if left == 0:
            return TreeNode(payoffs=(0, 0))
        children = {}
        for move in ("inspect", "wait") if inspections else ("wait",):
            caught = 1 if move == "inspect" else -1
            after = stage(left - 1, inspections - (move == "inspect"), past + move[0])
            children[move] = TreeNode(
                1,
                ("stage", left, past),  # both know what was inspected before, not what is now
                children={"violate": TreeNode(payoffs=(caught, -caught)), "comply": after},
            )
        return TreeNode(0, ("stage", left, past), children=children)

    return ExplicitTree("inspection", ("inspector", "inspectee"), stage(stages, 1, ""))


def derive_inspection(largest: int = 7) -> SizeFormula:
    """Derive the value of n stages with one inspection."""
    where = Parameters.of({"n": "integer, n >= 2"})
    n = where["n"]
    values = {k: exact_equilibrium(compile_rules(inspection_rules(k))).value for k in range(2, largest + 1)}
    formula = interpolate(values, n)
    if formula is None:
        return SizeFormula("inspection", "n stages", None, values, False, "no formula fits the values")
    before = formula.subs(n, n - 1)
    table = matrix_game("first stage", ("inspect", "wait"), ("violate", "comply"), [[1, -1], [-1, before]], where)
    step = derive(table)
    one = exact_equilibrium(compile_rules(inspection_rules(1))).value
    starts = formula.subs(n, 1) == sympy.Rational(one.numerator, one.denominator)
    same = [case for case in step.cases if case.verdict.proved and is_zero(case.value - formula)]
    proof = "by induction over the first stage" if same and starts else "the induction fails"
    return SizeFormula("inspection", "n stages, one inspection", formula, values, bool(same and starts), proof)


# -- one-card poker ----------------------------------------------------------------------------------------------------


def derive_one_card(residue: int = 1, count: int = 7) -> SizeFormula:
    """Derive the value of one-card poker for n = 6m + residue cards, residue from 1 to 6."""
    n = sympy.Symbol("n", integer=True, positive=True)
    sizes = [k for k in range(3, 3 + 6 * (count + 1)) if (k - residue) % 6 == 0][:count]
    values = {k: exact_equilibrium(compile_rules(Kuhn(k))).value for k in sizes}
    formula = interpolate(values, n)
    if formula is None:
        return SizeFormula("one-card", f"n = 6m + {residue} cards", None, values, False, "no formula fits the values")
    form = OneCardPoker()
    profile = form.derive()[f"value, n = 6m + {residue}"]
    claims = form.claims_for(residue)
    holds = all(c.proved for c in claims) and is_zero(formula - profile)
    proof = f"{len(claims)} relations of a profile in blocks of cards" if holds else "the profile in blocks disagrees"
    return SizeFormula("one-card", f"n = 6m + {residue} cards", formula, values, holds, proof)


#: What can be derived by size.
BY_SIZE: Mapping[str, Callable[[], SizeFormula]] = {"inspection": derive_inspection, "one-card": derive_one_card}


def derive_by_size(name: str) -> SizeFormula:
    """Derive a formula in the size of a game, by name."""
    return BY_SIZE[require_name(name, BY_SIZE, "game to derive by size")]()
