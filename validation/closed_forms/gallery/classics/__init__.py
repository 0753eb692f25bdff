"""Classical games with known solutions."""
