"""Solvers that are programs of their own: an MPS file goes in, a solution file comes out."""
