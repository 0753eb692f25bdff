"""Pictures. Import this inside the function that draws: matplotlib takes a while to load."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.figure import Figure

from equiform.models.common.errors import ParameterError
from equiform.models.common.files import whole_file


def check_target(path: str | Path) -> None:
    """Refuse a file that cannot be drawn into: ask before a long computation, not after it."""
    target = Path(path)
    if target.suffix[1:] not in FigureCanvasBase.get_supported_filetypes() or not target.parent.is_dir():
        raise ParameterError(
            f"cannot draw into {target.name}", where=str(path), fix="use .png, .svg or .pdf in a folder that exists"
        )


class Picture(Figure):
    """A matplotlib figure without a window, which a notebook displays automatically."""

    def write(self, path: str | Path) -> None:
        """Write the picture in one step; the suffix (.png, .svg, .pdf …) decides the format."""
        try:
            with whole_file(path) as draft:
                self.savefig(draft)
        except ValueError as error:
            raise ParameterError(
                f"cannot draw into {Path(path).name}: {error}", where=str(path), fix="use .png, .svg or .pdf"
            ) from None

    def _repr_png_(self) -> bytes:
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        return buffer.getvalue()
