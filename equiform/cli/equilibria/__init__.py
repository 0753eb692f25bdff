"""Commands that build, solve and check."""
