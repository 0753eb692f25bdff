"""The rooms install as one package: pyproject's list, the folders and the links must agree."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = set(SETTINGS["tool"]["setuptools"]["packages"])
FOLDERS = SETTINGS["tool"]["setuptools"]["package-dir"]


def test_every_package_folder_is_listed() -> None:
    found = set()
    for name, folder in FOLDERS.items():
        for init in (ROOT / folder).rglob("__init__.py"):
            if any(part.is_symlink() for part in init.parents if part != ROOT):
                continue
            tail = init.parent.relative_to(ROOT / folder).parts
            found.add(".".join((name, *tail)))
    assert found == PACKAGES


def test_every_room_has_its_link() -> None:
    for name, folder in FOLDERS.items():
        if name == "equiform":
            continue
        link = ROOT / "equiform" / name.removeprefix("equiform.")
        assert link.is_symlink() and link.resolve() == (ROOT / folder).resolve()


def test_every_room_is_guarded_against_a_second_import() -> None:
    banned = SETTINGS["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]
    assert set(banned) == {name.removeprefix("equiform.") for name in FOLDERS if name != "equiform"}


def test_no_lock_file_names_a_place() -> None:
    for lock in ("requirements.lock", "requirements-dev.lock"):
        assert "://" not in (ROOT / lock).read_text()


def test_optimization_is_kept_apart_from_every_room_that_knows_games() -> None:
    contracts = SETTINGS["tool"]["importlinter"]["contracts"]
    (forbidden,) = (c["forbidden_modules"] for c in contracts if c["name"] == "Optimization imports nothing of games")
    names = {
        f"equiform.{room}.{path.stem}"
        for room, own in (("models", "common"), ("formulations", "optimization"))
        for path in (ROOT / room).iterdir()
        if not path.name.startswith(("_", ".")) and path.name != own and (path.is_dir() or path.suffix == ".py")
    }
    assert set(forbidden) == names | {"equiform.games"}
