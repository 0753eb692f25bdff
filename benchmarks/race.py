"""The race of Figure 9.1: ``python -m benchmarks.race FOLDER [--store]``, with ``OPENBLAS_NUM_THREADS=1`` as in make.

``--store`` puts the points and the solved tournament where ``equiform reproduce`` finds them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console


def main() -> None:
    """Run the race, or continue it, and Table 9.1 under other conventions; store what came out."""
    from equiform.validation.reproduce.tournaments import conventions, race, solution

    parser = argparse.ArgumentParser(prog="python -m benchmarks.race", description=__doc__)
    parser.add_argument("folder", type=Path, help="where points and states are kept: a race can be continued")
    parser.add_argument("--store", action="store_true", help="store the points and the solved tournament")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    found, profile = race.race(arguments.folder, Console().print)
    readings = conventions.measure(arguments.folder, Console().print)
    if arguments.store:
        home = Path(race.__file__).parent
        race.write_race(home / race.FILE, found)
        conventions.write_readings(home / conventions.FILE, readings)
        history = [(p.iteration, p.seconds, p.epsilon) for p in found["interleaved"]]
        solution.write_summary(home / solution.FILE, profile, history)


if __name__ == "__main__":
    main()
