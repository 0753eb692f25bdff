"""What starting loads: listing needs no modelling language, and solving no statistics or pictures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("scipy.stats", "scipy.integrate", "scipy.spatial", "matplotlib", "sympy")


def loaded(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('loaded', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_solving_loads_no_statistics_pictures_or_symbols() -> None:
    found = loaded("import equiform\nequiform.solve\nequiform.solve('rps')")
    assert "pyomo" in found
    assert not [name for name in HEAVY if name in found]


RUN = "from equiform.cli import main\ntry:\n    main({})\nexcept SystemExit:\n    pass"


@pytest.mark.parametrize(
    "code",
    [
        "import equiform\nassert 'nash' in equiform.list_formulations()\nassert 'kuhn' in equiform.list_games()",
        RUN.format(["--help"]),
        RUN.format(["model", "--formulation", "list"]),
    ],
    ids=["lists", "help", "the list of programs"],
)
def test_listing_loads_no_modelling_language(code: str) -> None:
    found = loaded(code)
    assert not [name for name in ("pyomo", "highspy", *HEAVY) if name in found]


def test_a_small_game_is_solved_without_compiler_or_writers() -> None:
    found = loaded("import equiform\nassert equiform.solve('kuhn').certificate.nash_conv < 1e-9")
    assert "pyomo.core" in found and "highspy" in found
    assert not [name for name in ("numba", "pyomo.environ", "scipy.linalg") if name in found]


def test_a_model_for_other_solvers_finds_the_writers(tmp_path: Path) -> None:
    file = tmp_path / "kuhn.lp"
    loaded(f"import equiform\nequiform.build_model('kuhn').write({str(file)!r})")
    assert file.stat().st_size > 0


def test_a_pyomo_interface_is_found_without_the_user_importing_it() -> None:
    found = loaded("import equiform\nassert equiform.solve('rps', backend='pyomo:appsi_highs')")
    assert "pyomo.environ" in found


def test_help_loads_no_compiler() -> None:
    found = loaded(RUN.format(["--help"]))
    assert "equiform.cli.app" in found and not [name for name in ("numba", "scipy") if name in found]


def test_a_package_offers_the_function_and_not_the_module_of_its_name() -> None:
    code = "import equiform.models.sequence_form\nfrom equiform.models import sequence_form\nassert callable({})"
    assert "equiform.models.sequence_form" in loaded(code.format("sequence_form"))
