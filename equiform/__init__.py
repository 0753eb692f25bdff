"""equiform: turn games into mathematical programs, solve them with the solver you have, and prove the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from equiform.api import Solved, as_game, solve
    from equiform.games.registry import load_game
    from equiform.models import as_sequence_form
    from equiform.models.common.errors import EquiformError
    from equiform.validation.certificates.certificate import Certificate, certify

__version__ = "0.1.0"
__all__ = [
    "Certificate",
    "EquiformError",
    "Solved",
    "__version__",
    "as_game",
    "as_sequence_form",
    "certify",
    "load_game",
    "solve",
]

_HOMES = {
    "EquiformError": "equiform.models.common.errors",
    "Certificate": "equiform.validation.certificates.certificate",
    "Solved": "equiform.api",
    "as_game": "equiform.api",
    "as_sequence_form": "equiform.models",
    "certify": "equiform.validation.certificates.certificate",
    "load_game": "equiform.games.registry",
    "solve": "equiform.api",
}


def __getattr__(name: str) -> Any:
    """Import on first use: solvers and numba take a second, and `equiform --help` should not."""
    if name not in _HOMES:
        raise AttributeError(f"module 'equiform' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
