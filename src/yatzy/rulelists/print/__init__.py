"""Rule lists on paper: the card."""
