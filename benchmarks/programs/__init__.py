"""Programs: compiled, merged, solved and solved again."""
