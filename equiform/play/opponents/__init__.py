"""Opponents to play against."""
