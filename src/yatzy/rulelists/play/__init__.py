"""Rule lists compiled: what a list does, and what it is worth."""
