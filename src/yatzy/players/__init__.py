"""What plays and ships: rule lists, charts and learned models; reading, playing and printing them."""
