"""``make mutants`` or ``python -m benchmarks.mutants``: which mutants of a random sample do the tests kill?

The run takes an hour or more, uses one process and can be stopped and started again: it goes on where it was. What an
earlier run stored is not tried again, unless with ``--fresh``: a mutant is named by what it changes, and stays the same
whatever else is edited.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.mutants import mutations
from benchmarks.mutants.mutations import Mutant, mutants_of
from benchmarks.mutants.reach import Reach, measure, up_to_date
from benchmarks.mutants.run import GONE, KILLED, SLOW, SURVIVED, UNDECIDED, UNREACHED, Workplace, enter, judge, preload
from benchmarks.mutants.tree import ROOMS, copy_tree, room_of, sources

_CHECKOUT = Path(__file__).resolve().parents[2]
_STORED = Path(__file__).with_name("scores.json")
_TESTS = ("tests", *(f"equiform/{Path(folder).name}" for folder in ROOMS))


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.mutants", description=__doc__)
    parser.add_argument("--per-room", type=int, default=100, help="mutants per room")
    parser.add_argument("--seed", type=int, default=14)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds of tests per mutant")
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()) / "equiform-mutants")
    parser.add_argument("--measure", action="store_true", help="measure every test again, not only those that changed")
    parser.add_argument("--again", action="store_true", help="try the survivors of an earlier run again")
    parser.add_argument("--only", help="only mutants of files whose path contains this")
    parser.add_argument("--fresh", action="store_true", help="forget what was stored, and try every mutant")
    parser.add_argument("--report", action="store_true", help="run nothing, show what there is")
    parser.add_argument("--save", action="store_true", help="store the scores for the documentation")
    given = parser.parse_args()
    place = Workplace(_CHECKOUT, given.scratch.resolve())
    place.scratch.mkdir(parents=True, exist_ok=True)
    chosen = sample(given.seed, given.per_room, place.scratch / "mutants.json")
    if not given.report:
        _prepare(place, again=given.measure)
        _run(place, [m for m in chosen if not given.only or given.only in m.file], given)
    found = _outcomes(place.scratch, fresh=given.fresh)
    report(chosen, found)
    if given.save:
        _save(chosen, found, given.seed)
    return 0


def sample(seed: int, per_room: int, kept: Path) -> list[Mutant]:
    """Draw mutants of every room: in the order of a hash of seed and mutant, which edits elsewhere do not change."""
    rooms: dict[str, list[Mutant]] = defaultdict(list)
    before = json.loads(kept.read_text()) if kept.exists() else {}
    after: dict[str, list[dict[str, Any]]] = {}
    for file in sources(_CHECKOUT):
        text = Path(mutations.__file__).read_bytes() + (_CHECKOUT / file).read_bytes()
        name = f"{file} {hashlib.sha256(text).hexdigest()}"
        after[name] = before.get(name) or [m.to_dict() for m in mutants_of(_CHECKOUT, file)]
        rooms[room_of(file)] += [Mutant(**content) for content in after[name]]
    kept.write_text(json.dumps(after))
    chosen = []
    for mutants in rooms.values():
        order = sorted(mutants, key=lambda m: hashlib.sha256(f"{seed}{m.key}".encode()).digest())
        chosen += order[:per_room]
    return sorted(chosen, key=lambda m: hashlib.sha256(f"{seed}{m.key}".encode()).digest())


def _prepare(place: Workplace, *, again: bool) -> None:
    """Copy the tree and measure which lines the new tests reach (in a child, for it imports equiform)."""
    copy_tree(place.checkout, place.tree)
    reach = place.scratch / "reach.json"
    if again:
        reach.unlink(missing_ok=True)
    if up_to_date(place.tree, reach):
        return
    print("measuring which tests reach which lines …", flush=True)
    if os.fork() == 0:
        try:
            enter(place.tree, place.cache)
            measure(place.tree, reach, list(_TESTS))
        finally:
            os._exit(0)
    os.wait()


def _run(place: Workplace, mutants: Sequence[Mutant], given: argparse.Namespace) -> None:
    reach, done = Reach(place.scratch / "reach.json", place.tree), _outcomes(place.scratch, fresh=given.fresh)
    retried = (UNDECIDED, *((SURVIVED, UNREACHED, GONE) if given.again else ()))
    waiting = [m for m in mutants if done.get(m.key, UNDECIDED) in retried]
    preload()
    for number, mutant in enumerate(waiting, 1):
        outcome, seconds, tests = judge(place, reach, mutant, budget=given.budget)
        line = {**mutant.to_dict(), "outcome": outcome, "seconds": round(seconds, 1), "tests": tests}
        with (place.scratch / "outcomes.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")
        print(f"{number}/{len(waiting)} {outcome:11s} {seconds:6.1f} s {mutant.file}:{mutant.line}", flush=True)


def _outcomes(scratch: Path, *, fresh: bool = False) -> dict[str, str]:
    """Return the last outcome of each mutant: of this run, or else as stored."""
    stored = {} if fresh or not _STORED.exists() else json.loads(_STORED.read_text(encoding="utf-8"))["outcomes"]
    path = scratch / "outcomes.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return {**stored, **{content["key"]: content["outcome"] for content in map(json.loads, lines)}}


def report(chosen: Sequence[Mutant], found: dict[str, str]) -> None:
    """Print the score of each module and room, and every mutant that is still alive."""
    modules = scores(chosen, found)
    for name, score in [*modules.items(), *by_room(modules).items()]:
        print(f"{name:40s} {score}")
    for mutant in chosen:
        outcome = found.get(mutant.key)
        if outcome in (SURVIVED, UNREACHED) and mutant.key not in equivalent():
            print(f"{mutant.key} {outcome}: {mutant.file}:{mutant.line}: {mutant.before}  →  {mutant.after}")


Score = dict[str, int]


def scores(chosen: Sequence[Mutant], found: dict[str, str]) -> dict[str, Score]:
    """Count per module (a folder of source): mutants, killed ones, and those that change no result."""
    counts: dict[str, Score] = defaultdict(_nothing)
    same = equivalent()
    for mutant in chosen:
        outcome = found.get(mutant.key)
        if outcome in (None, GONE, UNDECIDED):
            continue
        count = counts[str(Path(mutant.file).parent)]
        count["mutants"] += 1
        kind = "killed" if outcome in (KILLED, SLOW) else "equivalent" if mutant.key in same else "alive"
        count[kind] += 1
    return dict(sorted(counts.items()))


def by_room(modules: dict[str, Score]) -> dict[str, Score]:
    """Add up the modules of each room."""
    rooms: dict[str, Score] = {room: _nothing() for room in ROOMS.values()}
    for folder, score in modules.items():
        total = rooms[room_of(Path(folder))]
        for kind, count in score.items():
            total[kind] += count
    return rooms


def _nothing() -> Score:
    return {"mutants": 0, "killed": 0, "equivalent": 0, "alive": 0}


def equivalent() -> dict[str, str]:
    """Return the mutants that change no result, with the reason, as recorded by hand."""
    path = Path(__file__).with_name("equivalent.json")
    content = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {entry["key"]: entry["why"] for entry in content}


def _save(chosen: Sequence[Mutant], found: dict[str, str], seed: int) -> None:
    modules = scores(chosen, found)
    kept = {
        m.key: found[m.key] for m in sorted(chosen, key=lambda m: m.key) if found.get(m.key) not in (None, UNDECIDED)
    }
    content = {"seed": seed, "rooms": by_room(modules), "modules": modules, "outcomes": kept}
    _STORED.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
