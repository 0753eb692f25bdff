"""``equiform closed-form``: formulas that sympy derives and proves, checked against the exact program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table
from rich.text import Text

from equiform.cli.options import JSON
from equiform.cli.output import console, print_json
from equiform.models.common.rational import exact_text

if TYPE_CHECKING:
    from equiform.validation.closed_forms import ClosedForm, Verification


def closed_form(
    name: str = typer.Argument(metavar="NAME", help="A closed form such as kuhn or one-card, or `list`."),
    at: list[str] = typer.Option(None, "--at", help="A value such as n=19 or rho=3/2; by default the whole grid."),  # noqa: B008
    latex: bool = typer.Option(False, "--latex", help="Print the formulas as LaTeX and nothing else."),
    every: bool = typer.Option(False, "--claims", help="List every claim instead of counting them."),
    json: bool = JSON,
) -> None:
    """Derive an equilibrium in symbols and prove it.

    The proof is for all parameters; the formulas are also checked against the exact program.
    """
    from equiform.validation import closed_forms

    if name == "list":
        _list(list(closed_forms.CLOSED_FORMS.values()), json)
        return
    form = closed_forms.closed_form(name)
    if latex:
        print(form.latex())
        return
    claims = form.prove()
    checks = form.verify_all() if not at else (form.verify(**_parameters(at)),)
    holds = all(c.proved for c in claims) and all(v.agrees for v in checks)
    if json:
        print_json(
            {
                "name": form.name,
                "title": form.title,
                "source": form.source,
                "formulas": {k: str(f) for k, f in form.derive().formulas.items()},
                "claims": [{"text": c.text, "proved": c.proved} for c in claims],
                "checks": [_check(v) for v in checks],
                "holds": holds,
            }
        )
    else:
        _show(form, claims, checks, every)
    if not holds:
        raise typer.Exit(1)


def _parameters(given: list[str]) -> dict[str, Any]:
    from equiform.models.common.errors import ParameterError
    from equiform.models.common.rational import parse_fraction

    found: dict[str, Any] = {}
    for text in given:
        key, _, value = (part.strip() for part in text.partition("="))
        if key in found:
            raise ParameterError(f"{key} is given twice", where="--at", fix="set it once")
        try:
            found[key] = parse_fraction(value)
        except ValueError:
            raise ParameterError(
                f"{text!r} is not a parameter", where="--at", fix="write NAME=NUMBER, as in n=19 or rho=3/2"
            ) from None
    return found


def _check(verification: Verification) -> dict[str, Any]:
    return {
        "parameters": dict(verification.parameters),
        "agrees": verification.agrees,
        "comparisons": [
            {"what": c.what, "formula": c.formula, "computed": c.computed} for c in verification.comparisons
        ],
    }


def _show(form: ClosedForm, claims: Any, checks: tuple[Verification, ...], every: bool) -> None:
    console.print(Text.assemble((form.title, "bold"), f" ({form.source})"))
    for key, formula in form.derive().formulas.items():
        console.print(f"  {key} = {formula}", highlight=False)
    proved = sum(c.proved for c in claims)
    console.print(f"{proved} of {len(claims)} claims proved for all parameters, {form.scope.text}.", highlight=False)
    for claim in claims:
        if every or not claim.proved:
            mark = "proved" if claim.proved else "NOT PROVED"
            console.print(f"  {mark}: {claim.text}", highlight=False)
    if len(checks) == 1:
        table = Table("quantity", "by the formula", "by exact computation", "")
        for c in checks[0].comparisons:
            table.add_row(c.what, exact_text(c.formula), exact_text(c.computed), "" if c.agrees else "differs")
        console.print(table)
    agree = sum(v.agrees for v in checks)
    console.print(
        f"The formulas agree with exact rational computation at {agree} of {len(checks)} values of the parameters.",
        highlight=False,
    )


def _list(forms: list[ClosedForm], json: bool) -> None:
    if json:
        print_json([{"name": f.name, "title": f.title, "source": f.source, "parameters": f.scope.text} for f in forms])
        return
    table = Table("name", "parameters", "what it is", "source")
    for f in forms:
        table.add_row(f.name, f.scope.text, f.title, f.source)
    console.print(table)
