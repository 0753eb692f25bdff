"""First-order methods: excessive gap, iterated smoothing, projections and prox functions."""
