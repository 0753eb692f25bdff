"""Files damaged at random, by a seed: bytes flipped, ends cut off, words swapped, numbers made absurd."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Callable

import numpy as np

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?:/\d+)?")
_WORD = re.compile(rb'"[^"]*"|[\w.+/-]+|[{}\[\](),:]')
_ABSURD = (
    b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1e308", b"1e-400", b"9" * 40, b"-1", b"0", b"1/0", b"0/0", b"-3/7",
    b"1" * 6000, b"1e999999999", b"1e-999999999", b"4294967296", b"9223372036854775807", b"0.1.2", b"--5", b"true",
    b"null", b'"x"', b"[]", b"{}", b"", "½".encode(), b"0x10",
)  # fmt: skip


def damage(content: bytes, seed: int) -> bytes:
    """Return a damaged copy of a file; ``.npz`` files are also rewritten with damaged arrays in a sound archive."""
    rng = random.Random(seed)
    if content[:2] == b"PK" and rng.random() < 0.7:
        return _damaged_arrays(content, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        content = rng.choice(_WAYS)(content, rng)
    return content


def _flip(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 3, 20)) if changed else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _cut(content: bytes, rng: random.Random) -> bytes:
    start, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return rng.choice((content[:start], content[end:], content[:start] + content[end:]))


def _repeat(content: bytes, rng: random.Random) -> bytes:
    start, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:end] + content[start:end] * rng.choice((1, 2, 10)) + content[end:]


def _swap_words(content: bytes, rng: random.Random) -> bytes:
    words = list(_WORD.finditer(content))
    if len(words) < 2:
        return content
    first, second = sorted(rng.sample(words, 2), key=lambda m: m.start())
    middle = content[first.end() : second.start()]
    return content[: first.start()] + second.group() + middle + first.group() + content[second.end() :]


def _lose_word(content: bytes, rng: random.Random) -> bytes:
    words = list(_WORD.finditer(content))
    lost = rng.choice(words) if words else None
    return content if lost is None else content[: lost.start()] + content[lost.end() :]


def _absurd_number(content: bytes, rng: random.Random) -> bytes:
    numbers = list(_NUMBER.finditer(content))
    chosen = rng.choice(numbers) if numbers else None
    return content if chosen is None else content[: chosen.start()] + rng.choice(_ABSURD) + content[chosen.end() :]


def _nested(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice((b"[", b"{", b"(", b'{"a":')) * rng.choice((1, 3, 5000)) + content[at:]


_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flip, _cut, _repeat, _swap_words, _lose_word, _absurd_number, _absurd_number, _absurd_number, _nested,
)  # fmt: skip


def _damaged_arrays(content: bytes, rng: random.Random) -> bytes:
    """Change one array of an archive: its text, its numbers, its shape, its type, its name, or leave it out."""
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    name = rng.choice(sorted(arrays))
    array = arrays.pop(name)
    way = rng.randrange(7)
    if array.dtype.kind == "U":
        text = str(array).encode()
        arrays[name] = np.array(rng.choice(_WAYS)(text, rng).decode("utf-8", "replace").replace("\0", ""))
    elif array.dtype == np.uint8 and way < 4:  # a text in bytes
        arrays[name] = np.frombuffer(rng.choice(_WAYS)(array.tobytes(), rng), dtype=np.uint8)
    elif way == 0 and array.size:
        changed = array.copy().reshape(-1)
        absurd = (np.nan, np.inf, -np.inf, 1e300, -1.0) if array.dtype.kind == "f" else (-1, 2**31 - 1, 7)
        with np.errstate(all="ignore"):
            changed[rng.randrange(len(changed))] = np.array(rng.choice(absurd)).astype(array.dtype)
        arrays[name] = changed.reshape(array.shape)
    elif way == 1:
        arrays[name] = array.reshape(-1)[: rng.randrange(array.size + 1)]
    elif way == 2:
        arrays[name] = array.astype(rng.choice(("f4", "i8", "c16", "U3", "?", "i1")))
    elif way == 3:
        arrays[name] = array[..., None]
    elif way == 4:
        arrays[name + "x"] = array
    elif way == 5:
        arrays[name] = np.zeros((0, 3))
    damaged = io.BytesIO()
    np.savez(damaged, **arrays)
    return damaged.getvalue()
