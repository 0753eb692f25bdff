"""Commands that make something to look at."""
