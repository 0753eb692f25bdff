"""Certificates: what a profile is really worth, in floating point and in rational arithmetic."""
