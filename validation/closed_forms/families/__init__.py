"""Families of games with symbolic parameters: tables, trees, signals on the unit interval, auctions, oligopolies."""

from equiform.validation.closed_forms.families.auctions import AuctionFamily, BidFunction, auction
from equiform.validation.closed_forms.families.base import Family
from equiform.validation.closed_forms.families.equilibrium import Equilibrium
from equiform.validation.closed_forms.families.oligopoly import (
    Actions,
    ContinuousPlayer,
    OligopolyFamily,
    Piece,
    continuous_game,
)
from equiform.validation.closed_forms.families.signals import SignalFamily, Thresholds, signal_game
from equiform.validation.closed_forms.families.table import TableFamily, bimatrix_game, matrix_game, table_game
from equiform.validation.closed_forms.families.tree import TreeFamily, tree_game

__all__ = [
    "Actions",
    "AuctionFamily",
    "BidFunction",
    "ContinuousPlayer",
    "Equilibrium",
    "Family",
    "OligopolyFamily",
    "Piece",
    "SignalFamily",
    "TableFamily",
    "Thresholds",
    "TreeFamily",
    "auction",
    "bimatrix_game",
    "continuous_game",
    "matrix_game",
    "signal_game",
    "table_game",
    "tree_game",
]
