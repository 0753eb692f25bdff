"""CFR, fictitious play and first-order methods on the same models."""
