"""Agents for hold'em as it is played: simple ones, and those made of an abstraction and a strategy."""
