"""Games cut into parts by clusters of public cards, for solvers that spread them over workers."""
