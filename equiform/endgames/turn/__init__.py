"""Turns of hold'em re-solved at the table: hand probabilities by Bayes' rule, finer buckets, an equilibrium."""
