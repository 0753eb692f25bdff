"""Equities and histograms of whole betting rounds: computed in one sweep, kept on disk."""
