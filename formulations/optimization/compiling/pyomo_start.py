"""Import Pyomo without the parts of SciPy that no program of ours needs.

When Pyomo finds SciPy it imports ``scipy.stats``, ``scipy.integrate`` and ``scipy.spatial``, which takes longer than
Pyomo itself. While Pyomo looks around, empty modules replace them; a later import of one gets the real one. Import this
module before anything else that imports Pyomo.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import scipy.sparse  # what is there already, Pyomo looks at now and not later

_UNUSED = ("scipy.stats", "scipy.integrate", "scipy.spatial")

if "pyomo.common.dependencies" not in sys.modules:
    replaced = [name for name in _UNUSED if name not in sys.modules]
    sys.modules.update({name: ModuleType(name) for name in replaced})
    try:
        importlib.import_module("pyomo.common.dependencies")
    finally:
        for name in replaced:
            del sys.modules[name]

__all__ = ["scipy"]
