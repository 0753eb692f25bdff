"""Payoff operators: what two plans earn, as a sparse matrix, as a sum of products or by factors."""
