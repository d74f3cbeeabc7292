"""What a player uses: a game in progress, its log, its review, and the outlook from any state."""
