"""All-in showdowns before the flop, counted exactly: who wins, who is second, who ties."""
