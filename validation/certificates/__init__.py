"""The judges: what a profile is really worth, in floats and in rational arithmetic."""
