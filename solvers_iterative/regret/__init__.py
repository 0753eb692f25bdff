"""Counterfactual regret minimization: on the sequence form, on the tree, and by sampling."""
