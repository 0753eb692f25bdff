"""k-means and the distances it uses."""
