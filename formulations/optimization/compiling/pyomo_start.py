"""Import Pyomo without ``scipy.stats``.

When Pyomo finds SciPy it imports ``scipy.stats``, half a second that no program of ours needs. While Pyomo looks
around, an empty module replaces it; a later import of ``scipy.stats`` gets the real one. Import this
module before anything else that imports Pyomo.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import scipy.integrate
import scipy.sparse
import scipy.spatial

_STATISTICS = "scipy.stats"

if "pyomo.common.dependencies" not in sys.modules and _STATISTICS not in sys.modules:
    sys.modules[_STATISTICS] = ModuleType(_STATISTICS)
    try:
        importlib.import_module("pyomo.common.dependencies")
    finally:
        del sys.modules[_STATISTICS]

__all__ = ["scipy"]
