"""Performance as ratios: each benchmark measures equiform and a named peer side by side in one run."""
