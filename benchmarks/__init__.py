"""Performance as ratios: each entry measures equiform and a named peer side by side in one run."""
