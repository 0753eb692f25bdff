"""From exact solutions at a few points to formulas, and their proofs."""
