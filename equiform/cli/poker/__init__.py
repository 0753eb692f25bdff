"""Commands about cards and abstractions."""
