"""Commands about tournaments: chips as money, push or fold, whole endgames."""
