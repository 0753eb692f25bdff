"""Programs about a given opponent: safe responses, gifts, opponent models."""
