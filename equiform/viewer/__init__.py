"""What people look at: the explorer page of a solved game, and drawn trees and tables."""

from equiform.viewer.convergence import RunsExplorer
from equiform.viewer.document import ShownCurve, ShownProfile
from equiform.viewer.drawings.drawing import Drawing, draw_game
from equiform.viewer.explorer import Explorer
from equiform.viewer.page import Page
from equiform.viewer.spot import SpotExplorer
from equiform.viewer.tournament import TournamentExplorer

__all__ = [
    "Drawing",
    "Explorer",
    "Page",
    "RunsExplorer",
    "ShownCurve",
    "ShownProfile",
    "SpotExplorer",
    "TournamentExplorer",
    "draw_game",
]
