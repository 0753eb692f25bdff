"""Fictitious play, in realization plans and in matrices."""
