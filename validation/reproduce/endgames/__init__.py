"""Chapter 10: endgames."""
