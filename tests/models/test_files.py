"""Files appear whole or not at all, and pictures show themselves."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from equiform.models.common.errors import FormatError, ParameterError
from equiform.models.common.files import make_folder, read_arrays, read_json, whole_file, write_text
from equiform.models.common.pictures import Picture


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


def test_paths_that_cannot_be_folders_or_files(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for refused in (
        lambda: make_folder(tmp_path / "file"),
        lambda: make_folder(tmp_path / "file" / "below"),
        lambda: write_text("\0", "text"),
    ):
        with pytest.raises(FormatError, match="cannot write"):
            refused()
    assert make_folder(tmp_path / "a" / "b") == make_folder(tmp_path / "a" / "b")


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[" * 100_000, b"9" * 5000, b"\xff\xfe{}"], ids=["empty", "cut", "deep", "long", "utf-16"]
)
def test_what_is_not_json(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "it.json").write_bytes(content)
    with pytest.raises(FormatError, match="the thing is not") as caught:
        read_json(tmp_path / "it.json", "the thing", fix="make another")
    assert "it.json" in caught.value.where


@pytest.mark.parametrize("name", ["missing", ".", "\0"])
def test_json_that_is_not_there(name: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot read the thing"):
        read_json(tmp_path / name, "the thing", fix="make another")


def test_arrays_come_back_whole_or_not_at_all(tmp_path: Path) -> None:
    """Whatever byte is damaged, a reader gets the arrays or our error, never another one."""
    path = tmp_path / "a.npz"
    np.savez_compressed(path, a=np.arange(50), b=np.array("text"))
    whole = path.read_bytes()
    assert set(read_arrays(path, "the thing", fix="make another")) == {"a", "b"}
    refused = 0
    for damaged in [*(whole[:k] for k in range(0, len(whole), 7)), *(_flipped(whole, k) for k in range(len(whole)))]:
        path.write_bytes(damaged)
        try:
            read_arrays(path, "the thing", fix="make another")
        except FormatError as error:
            refused += "the thing is damaged" in error.what
    assert refused > len(whole) // 4
    with pytest.raises(FormatError, match="No such file"):
        read_arrays(tmp_path / "missing", "the thing", fix="make another")


def _flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


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
