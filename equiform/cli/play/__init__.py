"""Commands for agents, matches and leagues of hold'em."""
