"""Programs for Texas hold'em and what their papers claim of them."""
