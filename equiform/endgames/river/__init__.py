"""Rivers in buckets, as published: Algorithms 13 to 17 of Ganzfried's thesis (CMU 2015, §10.3)."""
