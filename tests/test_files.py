"""Files appear whole or not at all, and pictures show themselves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from equiform.models.errors import FormatError, ParameterError
from equiform.models.files import whole_file, write_text
from equiform.models.picture import Picture


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "table.json"
    write_text(target, "old")

    def write_half() -> None:
        with whole_file(target) as draft:
            draft.write_text("ne")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        write_half()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_new_file_is_an_ordinary_one(tmp_path: Path) -> None:
    write_text(tmp_path / "ours.txt", "ε")
    (tmp_path / "plain.txt").write_text("ε", encoding="utf-8")
    assert (tmp_path / "ours.txt").read_bytes() == (tmp_path / "plain.txt").read_bytes()
    modes = {os.stat(file).st_mode for file in tmp_path.iterdir()}
    assert len(modes) == 1


def test_readers_see_the_old_content_until_the_end(tmp_path: Path) -> None:
    target = tmp_path / "t.csv"
    write_text(target, "old")
    with whole_file(target) as draft:
        assert draft.suffix == ".csv" and draft.parent == tmp_path
        draft.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"


@pytest.mark.parametrize("name", ["missing/t.txt", "folder"])
def test_what_cannot_be_written_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FormatError, match="cannot write"):
        write_text(tmp_path / name, "text")
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


def test_pictures_are_written_and_shown(tmp_path: Path) -> None:
    picture = Picture(figsize=(2, 1))
    picture.subplots().plot([0, 1], [0, 1])
    for name, start in (("p.png", b"\x89PNG"), ("p.svg", b"<?xml"), ("p.pdf", b"%PDF")):
        picture.write(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert picture._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(ParameterError, match=r"\.png, \.svg or \.pdf"):
        picture.write(tmp_path / "p.docx")
    with pytest.raises(FormatError, match="cannot write"):
        picture.write(tmp_path / "missing" / "p.png")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["p.pdf", "p.png", "p.svg"]
