"""Turn games into mathematical programs, solve them, and prove the answer."""
